import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import type { TestEngine } from '../test-engine.test-helper.ts';
import { MAX_UNSPOKEN_CHARS, MAX_WAITING_TURNS } from './refusals.ts';
import { createSessionWorld } from './session-world.test-helper.ts';
import { type Frame, kindsOf } from './socket-client.test-helper.ts';
import type { KugelStore } from './store.ts';
import { IDLE_WARNING, StreamSession } from './stream-session.ts';

let clock: FakeClock;
let engine: TestEngine;
let session: StreamSession;
let store: KugelStore;
let frames: Frame[];
let closes: [number, string][];
let logged: unknown[];

function open(priced = true): void {
  const world = createSessionWorld(priced);
  ({ clock, engine, frames, closes, logged } = world);
  ({ store } = world.options);
  session = new StreamSession(world.options);
}

beforeEach(() => open());

const send = (message: unknown) => session.text(JSON.stringify(message));
const start = (text: string, config: Frame = {}) => send({ voice_id: 1071, text, ...config });

/** The kinds of frames in order; runs of audio as one. */
const kinds = (): string[] => kindsOf(frames);

const CHUNK = ['generation_started', 'audio', 'chunk_complete'];
const END = ['final', 'session_closed'];

const of = (marker: string): Frame[] => frames.filter((frame) => marker in frame);
const texts = () => of('generation_started').map((frame) => frame.text);

describe('turns', () => {
  it('2.2 there is no hello frame, and 2.3.3 a config alone produces none', async () => {
    send({ voice_id: 1071, speed: 1.1 });
    await clock.advance(10_000);
    expect(frames).toEqual([]);
  });

  it('seed: flush emits the trailing text, streams its audio, then final, then session_closed', async () => {
    start('Hello');
    expect(kinds()).toEqual([]);
    send({ flush: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
    expect(texts()).toEqual(['Hello']);
    expect(closes).toEqual([]);
  });

  it('seed: flush may ride with the text, and config too (1.3.5)', async () => {
    start('Hello', { flush: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
  });

  it('seed: a text frame is not a sentence boundary by itself', async () => {
    start('Hel');
    send({ text: 'lo wor' });
    send({ text: 'ld' });
    send({ flush: true });
    await settle();
    expect(texts()).toEqual(['Hello world']);
  });

  it('2.3.2 config is sticky over turns, and 2.3.4 a new one applies from the next', async () => {
    send({ voice_id: 1071, temperature: 0.9 });
    send({ text: 'One', flush: true });
    await settle();
    send({ voice_id: 'rupert' });
    send({ text: 'Two', flush: true });
    await settle();
    expect(engine.requests.map(({ voice, variation }) => [voice, variation])).toEqual([
      [LOCAL_CATALOGUE.find(1071), 0.9],
      [LOCAL_CATALOGUE.find(1072), 0.9],
    ]);
  });

  it('decision 7: a config in mid-turn takes effect with the next turn', async () => {
    start('One', { speed: 0.9 });
    send({ speed: 1.2, sample_rate: 8000 });
    send({ text: ' more', flush: true });
    send({ text: 'Two', flush: true });
    await settle();
    expect(engine.requests.map(({ speed, sampleRate }) => [speed, sampleRate])).toEqual([
      [0.9, 24_000],
      [1.2, 8000],
    ]);
  });

  it('seed: defaults apply where the config says nothing', async () => {
    start('One', { flush: true });
    await settle();
    expect(engine.requests[0]).toMatchObject({
      speed: 1,
      variation: 0.4,
      normalize: true,
      language: undefined,
      sampleRate: 24_000,
    });
    expect(of('session_closed')[0]).toMatchObject({ usage: { model_id: 'kugel-3' } });
  });

  it('2.3.31 chunk_id and idx restart with each turn', async () => {
    for (const text of ['First turn, with enough to say for some frames. And more.', 'Second']) {
      start(text, { flush: true });
      await settle();
    }
    expect(of('generation_started').map((frame) => frame.chunk_id)).toEqual([0, 1, 0]);
    const idx = of('audio').map((frame) => Number(frame.idx));
    expect(idx.indexOf(0, 1)).toBeGreaterThan(1);
    expect(idx).toEqual([
      ...Array(idx.indexOf(0, 1)).keys(),
      ...Array(idx.length - idx.indexOf(0, 1)).keys(),
    ]);
  });

  it('2.3.26 text after a flush belongs to the next turn, and turns end in order', async () => {
    engine.hold();
    start('One', { flush: true });
    send({ text: 'Two, a longer one', flush: true });
    await settle();
    expect(texts()).toEqual(['One']);
    engine.release();
    await settle();
    expect(texts()).toEqual(['One', 'Two, a longer one']);
    expect(of('session_closed').map((frame) => (frame.usage as Frame).characters)).toEqual([3, 17]);
  });

  it('2.3.30 the frames of a chunk come in order and all carry its id', async () => {
    start(
      'Good morning, all. And now for something that is a good deal longer than the first, so that it is a chunk.',
      {
        flush: true,
        word_timestamps: true,
      },
    );
    await settle();
    const chunk = ['generation_started', 'audio', 'word_timestamps', 'chunk_complete'];
    expect(kinds()).toEqual([...chunk, ...chunk, ...END]);
    let current = -1;
    for (const frame of frames) {
      if ('generation_started' in frame) current += 1;
      if (!('total_audio_seconds' in frame)) expect(frame.chunk_id).toBe(current);
    }
  });

  it('seed: totals of final and session_closed agree with what was sent', async () => {
    start('Good morning. It is nine.', { flush: true });
    await settle();
    const samples = of('audio').reduce((sum, frame) => sum + Number(frame.samples), 0);
    const totals = {
      total_audio_seconds: samples / 24_000,
      total_text_chunks: of('generation_started').length,
      total_audio_chunks: of('audio').length,
    };
    expect(of('final')).toEqual([{ final: true, ...totals }]);
    expect(of('session_closed')).toEqual([
      {
        session_closed: true,
        ...totals,
        usage: {
          audio_seconds: totals.total_audio_seconds,
          characters: 25,
          cost_cents: 0.02,
          currency: 'eur',
          model_id: 'kugel-3',
        },
      },
    ]);
    expect(of('chunk_complete').reduce((sum, frame) => sum + Number(frame.audio_seconds), 0)).toBeCloseTo(
      totals.total_audio_seconds,
    );
  });

  it('seed: cost_cents is null with cost_unavailable where the charge is unknown', async () => {
    open(false);
    start('Hello', { flush: true });
    await settle();
    expect(of('session_closed')[0]?.usage).toEqual({
      audio_seconds: 0.05,
      characters: 5,
      cost_cents: null,
      cost_unavailable: true,
      model_id: 'kugel-3',
    });
  });
});

describe('buffering', () => {
  it('seed: flush_timeout_ms speaks what waits after 500 ms, and the turn stays open', async () => {
    start('No mark here');
    await clock.advance(499);
    expect(frames).toEqual([]);
    await clock.advance(1);
    expect(kinds()).toEqual(CHUNK);
    send({ text: ' and more', flush: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...CHUNK, ...END]);
  });

  it('seed: new text restarts flush_timeout_ms, whose length is a setting', async () => {
    start('No ', { flush_timeout_ms: 200 });
    await clock.advance(150);
    send({ text: 'mark' });
    await clock.advance(150);
    expect(frames).toEqual([]);
    await clock.advance(50);
    expect(texts()).toEqual(['No mark']);
  });

  it('seed: chunk_length_schedule and auto_mode of the config are followed', async () => {
    start('Hi. You there. And on', { auto_mode: true });
    await settle();
    expect(texts()).toEqual(['Hi.', 'You there.']);
    send({ flush: true });
    await settle();
    start('Hi. You there. And on', { auto_mode: false, chunk_length_schedule: [14] });
    await settle();
    expect(texts().slice(3)).toEqual(['Hi. You there.']);
  });

  it('seed: max_buffer_length forces an emission', async () => {
    start('abcdefghijklmnopqrst', { max_buffer_length: 8, chunk_length_schedule: [900] });
    await settle();
    expect(texts()).toEqual(['abcdefgh', 'ijklmnop']);
  });

  it('10.9 blank text starts no turn', async () => {
    start('  ');
    await clock.advance(6000);
    expect(frames).toEqual([]);
  });
});

describe('2.3.10 idle turn', () => {
  it('ends 5 s after the last text: warning, remaining audio, final, session_closed', async () => {
    start('Never flushed', { flush_timeout_ms: 60_000 });
    await clock.advance(4999);
    expect(frames).toEqual([]);
    await clock.advance(1);
    expect(kinds()).toEqual(['warning', ...CHUNK, ...END]);
    expect(frames[0]).toEqual({ warning: IDLE_WARNING });
  });

  it('seed: the text of the warning', () => {
    expect(IDLE_WARNING).toBe(
      'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly — it lowers latency and avoids this auto-flush.',
    );
  });

  it('2.3.11 new text restarts it, a config does not', async () => {
    start('One');
    await clock.advance(4000);
    send({ text: ' two' });
    await clock.advance(4000);
    send({ speed: 1.1 });
    expect(of('warning')).toEqual([]);
    await clock.advance(1000);
    expect(of('warning')).toHaveLength(1);
  });

  it('2.3.12 text after it opens another turn with its own usage', async () => {
    start('One');
    await clock.advance(5000);
    send({ text: 'Two', flush: true });
    await settle();
    expect(of('session_closed').map((frame) => (frame.usage as Frame).characters)).toEqual([3, 3]);
  });

  it('does not come after a flush', async () => {
    start('One', { flush: true });
    await clock.advance(20_000);
    expect(of('warning')).toEqual([]);
  });
});

describe('ends', () => {
  it.each([['close'], ['end_session']])('2.3.13 %s drains like flush, the socket stays', async (key) => {
    start('Hello');
    send({ [key]: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
    expect(closes).toEqual([]);
  });

  it.each([['flush'], ['close'], ['end_session']])(
    'decision 2 (1, 3): %s without a turn is answered with zeros',
    async (key) => {
      send({ [key]: true });
      await settle();
      const totals = { total_audio_seconds: 0, total_text_chunks: 0, total_audio_chunks: 0 };
      expect(frames).toEqual([
        { final: true, ...totals },
        {
          session_closed: true,
          ...totals,
          usage: { audio_seconds: 0, characters: 0, cost_cents: 0, currency: 'eur', model_id: 'kugel-3' },
        },
      ]);
    },
  );

  it('2.3.15 close after a flush ends the same turn, once', async () => {
    start('Hello', { flush: true });
    send({ close: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
  });

  it('2.3.14 close_socket drains what was flushed, then closes 1000', async () => {
    engine.hold();
    start('Hello');
    send({ flush: true });
    send({ close_socket: true });
    await settle();
    expect(closes).toEqual([]);
    engine.release();
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
    expect(closes).toEqual([[1000, '']]);
  });

  it('2.3.14 close_socket ends the open turn too; without one it closes at once', async () => {
    start('Hello');
    send({ close_socket: true });
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
    expect(closes).toEqual([[1000, '']]);
    open();
    send({ close_socket: true });
    expect(closes).toEqual([[1000, '']]);
  });

  it('text after close_socket gets an error, a cancel is still taken', async () => {
    engine.hold();
    start('Hello');
    send({ close_socket: true });
    send({ text: 'More' });
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
    send({ cancel: true });
    await settle();
    expect(kinds().at(-1)).toBe('interrupted');
    expect(closes).toEqual([[1000, '']]);
  });

  it('2.3.33 going away: an idle session closes 1012 at once, a busy one after its session_closed', async () => {
    session.goingAway();
    expect(closes).toEqual([[1012, 'restarting']]);
    open();
    start('Hello');
    session.goingAway();
    expect(closes).toEqual([]);
    await settle();
    expect(kinds()).toEqual([...CHUNK, ...END]);
    expect(closes).toEqual([[1012, 'restarting']]);
  });

  it('2.3.25 a client that is gone gets nothing and costs nothing', async () => {
    engine.hold();
    start('Hello', { flush: true });
    await settle();
    session.gone();
    engine.release();
    await clock.advance(10_000);
    expect(kinds()).toEqual(['generation_started']);
  });
});

describe('2.3.19 cancel', () => {
  it('stops, drops buffered and queued text, acknowledges at once, and nothing of the turn follows', async () => {
    engine.hold();
    start('Good morning. And this waits for its own chunk');
    send({ text: '', flush: true });
    send({ text: 'Queued turn', flush: true });
    await settle();
    send({ cancel: true });
    expect(kinds()).toEqual(['generation_started', 'interrupted']);
    engine.release();
    await clock.advance(10_000);
    expect(kinds()).toEqual(['generation_started', 'interrupted']);
    expect(closes).toEqual([]);
  });

  it('2.3.22 the next text starts a fresh turn under the same config', async () => {
    engine.hold();
    start('One', { flush: true, speed: 1.2 });
    await settle();
    send({ cancel: true });
    engine.release();
    send({ text: 'Two', flush: true });
    await settle();
    expect(kinds()).toEqual(['generation_started', 'interrupted', ...CHUNK, ...END]);
    expect(engine.requests.at(-1)).toMatchObject({ text: 'Two', speed: 1.2 });
  });

  it('2.3.23 with nothing running it is acknowledged', () => {
    send({ cancel: true });
    expect(frames).toEqual([{ interrupted: true }]);
  });

  it('stops the idle timer', async () => {
    start('One');
    send({ cancel: true });
    await clock.advance(10_000);
    expect(kinds()).toEqual(['interrupted']);
  });
});

describe('2.3.27 update_settings', () => {
  it('is acknowledged with the values in effect, and applies from the next turn', async () => {
    start('One', { temperature: 0.7 });
    send({ update_settings: { speed: 1.1 } });
    expect(frames).toEqual([
      {
        settings_updated: true,
        settings: {
          cfg_scale: 2,
          temperature: 0.7,
          speed: 1.1,
          max_new_tokens: 2048,
          language: null,
          normalize: true,
        },
      },
    ]);
    send({ text: ' more', flush: true });
    send({ text: 'Two', flush: true });
    await settle();
    expect(engine.requests.map((request) => request.speed)).toEqual([1, 1.1]);
  });

  it('2.3.28 is refused whole with a key of identity or format', () => {
    send({ update_settings: { speed: 1.1, sample_rate: 8000 } });
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
    send({ update_settings: {} });
    expect(of('settings_updated')[0]).toMatchObject({ settings: { speed: 1 } });
  });
});

describe('decision 2.11 a refused message changes nothing', () => {
  const refused: [string, Frame, string, number, RegExp][] = [
    ['decision 8: speed', { speed: 3 }, 'VALIDATION_ERROR', 400, /speed: expected a number from 0.8 to 1.2/],
    ['decision 8: a wrong type', { text: 5 }, 'VALIDATION_ERROR', 400, /text: expected a string/],
    ['1.4 an unknown voice', { voice_id: 99_999 }, 'NOT_FOUND', 404, /Voice not found/],
    ['1.4 an unknown dictionary', { dictionary_ids: [1, 77] }, 'VALIDATION_ERROR', 400, /dictionary_ids.*77/],
    [
      '1.5.4 formats that disagree',
      { output_format: 'ulaw_8000', sample_rate: 16_000 },
      'VALIDATION_ERROR',
      400,
      /sample_rate/,
    ],
    ['decision 13: text over 10,000', { text: 'x'.repeat(10_001) }, 'VALIDATION_ERROR', 400, /10000/],
  ];
  it.each(refused)('%s', async (_, message, name, code, sentence) => {
    start('Hello');
    send({ ...message, flush: true, temperature: 1 });
    const [error] = of('error');
    expect(error).toMatchObject({ error_code: name, code, request_id: 'r-1' });
    expect(String(error?.error)).toMatch(sentence);
    send({ text: ' there', flush: true });
    await settle();
    expect(texts()).toEqual(['Hello there']);
    expect(engine.requests[0]?.variation).toBe(0.4);
    expect(closes).toEqual([]);
  });

  it('2.3.29 text without a voice: MISSING_VOICE_ID, and the text is not kept', async () => {
    send({ text: 'Hello', flush: true });
    expect(frames).toEqual([
      { error: 'voice_id is required', error_code: 'MISSING_VOICE_ID', code: 400, request_id: 'r-1' },
    ]);
    start('There', { flush: true });
    await settle();
    expect(texts()).toEqual(['There']);
  });

  it.each([['{"text":'], ['[]'], ['null'], ['7'], ['"text"'], ['']])(
    'decision 5: %s is a VALIDATION_ERROR and the socket stays open',
    (message) => {
      session.text(message);
      expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
      expect(closes).toEqual([]);
    },
  );

  it('decision 5: so is a binary message', () => {
    session.binary();
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
  });

  it('bounds the turns that wait, and text of the last one is still taken', async () => {
    for (let turn = 1; turn < MAX_WAITING_TURNS; turn += 1) start('a', { flush: true });
    start('b');
    expect(of('error')).toEqual([]);
    send({ text: ' c', flush: true });
    expect(of('error')).toEqual([]);
    start('d', { flush: true });
    expect(of('error')).toMatchObject([{ error_code: 'VALIDATION_ERROR', code: 400 }]);
    send({ cancel: true });
    start('e', { flush: true });
    await settle();
    expect(of('session_closed')).toHaveLength(1);
  });

  it('bounds the text that waits', async () => {
    engine.hold();
    for (let at = 0; at < MAX_UNSPOKEN_CHARS; at += 10_000) start('word '.repeat(2000));
    expect(of('error')).toEqual([]);
    start('word '.repeat(2000));
    expect(String(of('error')[0]?.error)).toMatch(/waiting to be spoken/);
  });
});

describe('failure of generation', () => {
  it('decision 2.11: error frame, no final, no session_closed, nothing charged, then the mapped close', async () => {
    engine.failNext();
    start('Hello', { flush: true });
    await settle();
    expect(kinds()).toEqual(['generation_started', 'error']);
    expect(of('error')).toMatchObject([{ error_code: 'INTERNAL_ERROR', code: 500 }]);
    expect(closes).toEqual([[4000, 'INTERNAL_ERROR']]);
    expect(JSON.stringify(logged)).not.toContain('Hello');
  });

  it('1.8 a busy engine is MODEL_UNAVAILABLE, then its close', async () => {
    engine.failNext(new EngineBusyError('busy'));
    start('Hello', { flush: true });
    await settle();
    expect(kinds()).toEqual(['generation_started', 'error']);
    expect(of('error')).toMatchObject([{ error_code: 'MODEL_UNAVAILABLE', code: 503 }]);
    expect(closes).toEqual([[4500, 'MODEL_UNAVAILABLE']]);
  });
});

describe('1.5 audio formats', () => {
  const formats: [Frame, string, number, number][] = [
    [{}, 'pcm_s16le', 24_000, 2],
    [{ sample_rate: 8000 }, 'pcm_s16le', 8000, 2],
    [{ sample_rate: 16_000 }, 'pcm_s16le', 16_000, 2],
    [{ sample_rate: 22_050 }, 'pcm_s16le', 22_050, 2],
    [{ output_format: 'pcm_16000' }, 'pcm_s16le', 16_000, 2],
    [{ output_format: 'ulaw_8000' }, 'mulaw', 8000, 1],
    [{ output_format: 'alaw_8000' }, 'alaw', 8000, 1],
  ];
  it.each(formats)('%j', async (config, enc, sr, width) => {
    start('Good morning to all of you', { flush: true, ...config });
    await settle();
    const audio = of('audio');
    expect(audio.length).toBeGreaterThan(1);
    for (const frame of audio) {
      expect(frame).toMatchObject({ enc, sr });
      // 1.5.3: samples agree with the bytes.
      expect(Buffer.from(String(frame.audio), 'base64').length).toBe(Number(frame.samples) * width);
    }
    const total = audio.reduce((sum, frame) => sum + Number(frame.samples), 0);
    expect(of('final')[0]).toMatchObject({ total_audio_seconds: Math.round((total / sr) * 1000) / 1000 });
  });

  it('a newer choice of rate replaces an older one of codec', async () => {
    send({ output_format: 'ulaw_8000' });
    start('Hello', { sample_rate: 16_000, flush: true });
    await settle();
    expect(of('audio')[0]).toMatchObject({ enc: 'pcm_s16le', sr: 16_000 });
  });
});

describe('seed: word timestamps', () => {
  it('cover the words of the chunk in order, and end no later than its audio', async () => {
    start("It's half past nine.", { flush: true, word_timestamps: true });
    await settle();
    const [frame] = of('word_timestamps');
    const words = frame?.word_timestamps as Frame[];
    expect(words.map((word) => word.word)).toEqual(["It's", 'half', 'past', 'nine']);
    const audioMs = Number(of('chunk_complete')[0]?.audio_seconds) * 1000;
    let lastEndMs = 0;
    for (const word of words) {
      expect(Number(word.start_ms)).toBeGreaterThanOrEqual(lastEndMs);
      expect(Number(word.end_ms)).toBeLessThanOrEqual(audioMs);
      expect(word.score).toBe(1);
      lastEndMs = Number(word.end_ms);
    }
  });

  it('are sent on request only', async () => {
    start('Hello', { flush: true });
    await settle();
    expect(of('word_timestamps')).toEqual([]);
  });
});

describe('dictionaries', () => {
  const selections: [string, Frame, string[]][] = [
    ['omitted: the active ones of the language', { language: 'en' }, ['SQL']],
    ['an empty list: none', { language: 'en', dictionary_ids: [] }, []],
    ['a list: exactly those, inactive ones too', { language: 'en', dictionary_ids: [3] }, ['hello']],
  ];
  it.each(selections)('seed: %s', async (_, config, expected) => {
    start('Hello', { flush: true, ...config });
    await settle();
    const words = engine.requests[0]?.pronunciations.map((entry) => entry.word) ?? [];
    expect(words.slice(0, expected.length)).toEqual(expected);
    expect(words.length > 0).toBe(expected.length > 0);
  });

  it('a change holds for waiting turns, and the turn that is spoken keeps its pronunciations', async () => {
    engine.hold();
    send({ voice_id: 1071, dictionary_ids: [3], auto_mode: true });
    send({ text: 'One. ', flush: false });
    send({ text: 'Two.', flush: true });
    send({ text: 'Three.', flush: true });
    await settle();
    const dictionary = store.dictionaries.find(3);
    if (!dictionary) throw new Error('there is a third dictionary');
    store.dictionaries.replaceEntries(dictionary, [
      { word: 'changed', replacement: 'r', ipa: null, case_sensitive: false },
    ]);
    engine.release();
    await settle();
    const words = engine.requests.map(({ text, pronunciations }) => [text, pronunciations[0]?.word]);
    expect(words).toEqual([
      ['One.', 'hello'],
      ['Two.', 'hello'],
      ['Three.', 'changed'],
    ]);
  });
});

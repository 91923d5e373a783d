import { describe, expect, it } from 'vitest';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import type { Frame } from '../socket-client.test-helper.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { CHUNK, PlayedSession, type Step } from './session-world.test-helper.ts';

/** The rules of `/ws/tts/stream` alone; `sessions.test.ts` has those that all endpoints share. */

const play = (...steps: Step[]) => new PlayedSession('kugel-stream').play(...steps);
const say = (text: string, more: Frame = {}): Frame => ({ voice_id: 1071, text, ...more });
/** A whole turn in one message. */
const turn = (text: string, more: Frame = {}): Frame => say(text, { flush: true, ...more });

const FLUSH = { flush: true };
const CLOSE_SOCKET = { close_socket: true };
const CANCEL = { cancel: true };
const END = 'final session_closed';

const texts = (session: PlayedSession) => session.of('generation_started').map(({ text }) => text);
const characters = (session: PlayedSession) =>
  session.of('session_closed').map(({ usage }) => (usage as Frame).characters);

it.each<[string, Step[], string]>([
  [
    'kugel-connect-5 no hello frame, and none for a config alone',
    [{ voice_id: 1071, speed: 1.1 }, 10_000],
    '',
  ],
  [
    'kugel-turn-7 flush speaks the trailing text, and ends the turn',
    [say('Hello'), 0, '|', FLUSH],
    `| ${CHUNK} ${END}`,
  ],
  ['kugel-message-4 flush may ride with the text, and config too', [turn('Hello')], `${CHUNK} ${END}`],
  ['kugel-turn-2 blank text starts no turn', [say('  '), 6000], ''],
  [
    'kugel-chunk-3 flush_timeout_ms speaks what waits after 500 ms, and the turn stays open',
    [say('No mark here'), 499, '|', 1, '|', turn(' and more')],
    `| ${CHUNK} | ${CHUNK} ${END}`,
  ],
  [
    'kugel-chunk-3 new text restarts flush_timeout_ms, whose length is a setting',
    [say('No ', { flush_timeout_ms: 200 }), 150, { text: 'mark' }, 199, '|', 1],
    `| ${CHUNK}`,
  ],
  [
    'kugel-end-1 5 s after the last text come the warning, the remaining audio and the end of the turn',
    [say('Never flushed', { flush_timeout_ms: 60_000 }), 4999, '|', 1],
    `| warning ${CHUNK} ${END}`,
  ],
  [
    'kugel-end-2 new text restarts the 5 s, a config does not',
    [say('One'), 4000, { text: ' two' }, 4000, { speed: 1.1 }, '|', 1000],
    `${CHUNK} ${CHUNK} | warning ${END}`,
  ],
  ['kugel-end-1 no idle end comes after a flush', [turn('One'), 20_000], `${CHUNK} ${END}`],
  ['kugel-end-1 no idle end comes after a cancel', [say('One'), CANCEL, 20_000], 'interrupted'],
  [
    'kugel-end-5 close drains like flush, the socket stays',
    [say('Hello'), { close: true }],
    `${CHUNK} ${END}`,
  ],
  ['kugel-end-5 so does end_session', [say('Hello'), { end_session: true }], `${CHUNK} ${END}`],
  [
    'kugel-end-13 close after a flush ends the same turn, once',
    [turn('Hello'), { close: true }],
    `${CHUNK} ${END}`,
  ],
  [
    'kugel-end-6 close_socket drains what was flushed, then closes 1000',
    ['hold', turn('Hello'), CLOSE_SOCKET, 0, '|', 'release'],
    `generation_started | audio chunk_complete ${END} 1000`,
  ],
  [
    'kugel-end-6 the example program: config, tokens, flush, close_socket',
    [
      { voice_id: 1071, model_id: 'kugel-3', cfg_scale: 2 },
      ...['Hello, ', 'this ', 'is ', 'streaming ', 'from ', 'an ', 'LLM.'].map((text) => ({ text })),
      FLUSH,
      CLOSE_SOCKET,
    ],
    `${CHUNK} ${END} 1000`,
  ],
  ['kugel-end-6 close_socket ends the open turn too', [say('Hello'), CLOSE_SOCKET], `${CHUNK} ${END} 1000`],
  ['kugel-end-6 close_socket without a turn closes at once', [CLOSE_SOCKET], '1000'],
  [
    'kugel-end-7 after close_socket text is refused, a cancel is still taken',
    ['hold', say('Hello'), CLOSE_SOCKET, 0, { text: 'More' }, CANCEL],
    'generation_started error interrupted 1000',
  ],
  [
    'kugel-error-3 a failure of generation drops the turns behind it',
    ['fail', turn('One'), turn('Two')],
    'generation_started error 4000',
  ],
])('%s', async (_, steps, kinds) => {
  expect((await play(...steps)).kinds()).toBe(kinds);
});

describe('turns', () => {
  it('kugel-turn-5 a text frame is not a sentence boundary by itself', async () => {
    const session = await play(say('Hel'), { text: 'lo wor' }, { text: 'ld' }, FLUSH);
    expect(texts(session)).toEqual(['Hello world']);
  });

  it('kugel-turn-3 config is sticky over turns; a new one applies from the next, also in mid-turn', async () => {
    const { requests } = await play(
      { voice_id: 1071, temperature: 0.9 },
      { text: 'One' },
      { voice_id: 'rupert', speed: 1.2, sample_rate: 8000 },
      { text: ' more', flush: true },
      { text: 'Two', flush: true },
    );
    expect(requests).toMatchObject([
      { text: 'One more', voice: LOCAL_CATALOGUE.find(1071), variation: 0.9, speed: 1, sampleRate: 24_000 },
      { text: 'Two', voice: LOCAL_CATALOGUE.find(1072), variation: 0.9, speed: 1.2, sampleRate: 8000 },
    ]);
  });

  it('kugel-turn-3 a newer choice of rate replaces an older one of codec', async () => {
    const session = await play({ output_format: 'ulaw_8000' }, turn('Hello', { sample_rate: 16_000 }));
    expect(session.of('audio')[0]).toMatchObject({ enc: 'pcm_s16le', sr: 16_000 });
  });

  it('kugel-chunk-9 chunk_id and idx restart with each turn', async () => {
    const session = await play(turn('First turn, with enough to say. And more.'), 0, turn('Second'));
    expect(session.of('generation_started').map((frame) => frame.chunk_id)).toEqual([0, 1, 0]);
    const idx = session.of('audio').map((frame) => Number(frame.idx));
    const first = session.of('final')[0]?.total_audio_chunks as number;
    expect(first).toBeGreaterThan(1);
    expect(idx).toEqual([...Array(first).keys(), ...Array(idx.length - first).keys()]);
  });

  it('kugel-turn-9 text after a flush belongs to the next turn, and turns end in order', async () => {
    const session = await play('hold', turn('One'), turn('Two, a longer one'), 0, '|', 'release');
    expect(session.kinds()).toBe(`generation_started | audio chunk_complete ${END} ${CHUNK} ${END}`);
    expect(texts(session)).toEqual(['One', 'Two, a longer one']);
    expect(characters(session)).toEqual([3, 17]);
  });

  it('kugel-end-4 text after an idle end opens another turn with its own usage', async () => {
    const session = await play(say('One'), 5000, '|', turn('Two'));
    expect(session.kinds()).toBe(`${CHUNK} warning ${END} | ${CHUNK} ${END}`);
    expect(characters(session)).toEqual([3, 3]);
  });

  it('kugel-chunk-8 the frames of a chunk come in order and all carry its id', async () => {
    const text =
      'Good morning, all. And now for something a good deal longer, so that it is a chunk of its own.';
    const session = await play(turn(text, { word_timestamps: true }));
    const chunk = 'generation_started audio word_timestamps chunk_complete';
    expect(session.kinds()).toBe(`${chunk} ${chunk} ${END}`);
    let current = -1;
    for (const frame of session.world.frames.slice(0, -2)) {
      if ('generation_started' in frame) current += 1;
      expect(frame.chunk_id).toBe(current);
    }
  });

  it('kugel-end-10 totals of final and session_closed agree with what was sent', async () => {
    const session = await play(turn('Good morning. It is nine.'));
    const samples = session.of('audio').reduce((sum, frame) => sum + Number(frame.samples), 0);
    const totals = {
      total_audio_seconds: samples / 24_000,
      total_text_chunks: 2,
      total_audio_chunks: session.of('audio').length,
    };
    expect(session.of('final')).toEqual([{ final: true, ...totals }]);
    expect(session.of('session_closed')).toMatchObject([
      { session_closed: true, ...totals, usage: { audio_seconds: samples / 24_000, characters: 25 } },
    ]);
    expect(session.of('chunk_complete').map((frame) => frame.audio_seconds)).toEqual([0.13, 0.11]);
  });

  it.each(['flush', 'close', 'end_session'])('kugel-turn-10 %s without a turn has zeros', async (key) => {
    const totals = { total_audio_seconds: 0, total_text_chunks: 0, total_audio_chunks: 0 };
    const charge = { audio_seconds: 0, characters: 0, cost_cents: 0, currency: 'eur' };
    const { world } = await play({ model_id: 'kugel-2' }, { [key]: true });
    expect(world.frames).toEqual([
      { final: true, ...totals },
      { session_closed: true, ...totals, usage: { ...charge, model_id: 'kugel-2' } },
    ]);
    expect((await play({ [key]: true })).usage()).toEqual({ ...charge, model_id: 'kugel-3' });
  });

  it('kugel-end-3 the warning has the words of the vendor', async () => {
    const warning =
      'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly — it lowers latency and avoids this auto-flush.';
    expect((await play(say('One'), 5000)).of('warning')).toEqual([{ warning }]);
  });
});

describe('buffering', () => {
  it.each<[string, Frame, string, string[]]>([
    [
      'chunk_length_schedule',
      { chunk_length_schedule: [14] },
      'Hi. You there. And',
      ['Hi. You there.', 'And'],
    ],
    ['auto_mode', { auto_mode: true }, 'Hi. You there. And on', ['Hi.', 'You there.', 'And on']],
    [
      'max_buffer_length',
      { max_buffer_length: 8, chunk_length_schedule: [900] },
      'abcdefghijkl',
      ['abcdefgh', 'ijkl'],
    ],
  ])('kugel-chunk-1 %s of the config is followed', async (_, config, text, chunks) => {
    expect(texts(await play(turn(text, config)))).toEqual(chunks);
  });
});

describe('word timestamps', () => {
  it('kugel-words-5 cover the words of the chunk in order, and end no later than its audio', async () => {
    const session = await play(turn("It's half past nine.", { word_timestamps: true }));
    const words = session.of('word_timestamps')[0]?.word_timestamps as Frame[];
    expect(words.map((word) => word.word)).toEqual(["It's", 'half', 'past', 'nine']);
    const [first] = words;
    expect(first).toEqual({ word: "It's", start_ms: 0, end_ms: 40, char_start: 0, char_end: 4, score: 1 });
    const audioMs = Number(session.of('chunk_complete')[0]?.audio_seconds) * 1000;
    let lastEndMs = 0;
    for (const { start_ms, end_ms } of words) {
      expect(Number(start_ms)).toBeGreaterThanOrEqual(lastEndMs);
      lastEndMs = Number(end_ms);
    }
    expect(lastEndMs).toBeLessThanOrEqual(audioMs);
  });
});

describe('what changes between turns', () => {
  it('a dictionary: waiting turns follow the change, the turn that is spoken keeps its pronunciations', async () => {
    const session = await play(
      'hold',
      { voice_id: 1071, project_id: 1, auto_mode: true },
      { dictionary_ids: [3] },
      { text: 'One. ' },
      { text: 'Two.', flush: true },
      { text: 'Three.', flush: true },
    );
    const { dictionaries } = session.world.options.services.store;
    const changed = { word: 'changed', replacement: 'r', ipa: null, case_sensitive: false };
    await dictionaries.change((all) => all.replaceEntries('3', [changed]));
    await session.play('release');
    expect(session.requests.map(({ text, pronunciations }) => [text, pronunciations[0]?.word])).toEqual([
      ['One.', 'hello'],
      ['Two.', 'hello'],
      ['Three.', 'changed'],
    ]);
  });

  it('kugel-text-9 the settings that the page begins with name the project of the active dictionaries', async () => {
    const session = await play({ ...kugelStream.initialSettings, ...turn('One') });
    expect(session.requests[0]?.pronunciations[0]?.word).toBe('SQL');
  });

  it('kugel-text-9 a selection of earlier messages loses its project: the message is refused', async () => {
    const session = await play({ ...turn('One'), dictionary_ids: [3], project_id: 1 }, { project_id: 2 });
    expect(session.of('error')).toMatchObject([{ error_code: 'UNAUTHORIZED', code: 403 }]);
  });

  it.each<[string, Step[], string]>([
    ['the next turn', [turn('One')], `${CHUNK} ${END} error`],
    ['that after an idle end', [say('One'), { voice_id: 9 }, 5000], `error ${CHUNK} warning ${END} error`],
  ])('kugel-voice-2 a voice that was deleted: %s is refused', async (_, steps, kinds) => {
    const session = await play(...steps);
    session.world.options.services.store.voices.current.find = () => undefined;
    await session.play({ text: 'Two', ...FLUSH });
    expect(session.kinds()).toBe(kinds);
    expect(session.of('error').at(-1)).toMatchObject({ error_code: 'NOT_FOUND', code: 404 });
  });
});

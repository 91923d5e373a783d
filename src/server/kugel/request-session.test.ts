import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeClock, settle } from '../fake-clock.test-helper.ts';
import type { TestEngine } from '../test-engine.test-helper.ts';
import { MAX_WAITING_TURNS } from './refusals.ts';
import { RequestSession } from './request-session.ts';
import { createSessionWorld } from './session-world.test-helper.ts';
import { type Frame, kindsOf } from './socket-client.test-helper.ts';

let clock: FakeClock;
let engine: TestEngine;
let session: RequestSession;
let frames: Frame[];
let closes: [number, string][];

function open(priced = true): void {
  const world = createSessionWorld(priced);
  ({ clock, engine, frames, closes } = world);
  session = new RequestSession(world.options);
}

beforeEach(() => open());

const send = (message: unknown) => session.text(JSON.stringify(message));
const ask = (text: string, config: Frame = {}) => send({ voice_id: 1071, text, ...config });
const kinds = (): string[] => kindsOf(frames);
const of = (marker: string): Frame[] => frames.filter((frame) => marker in frame);

describe('4 requests on one socket', () => {
  it('4.2 audio, then final with totals and usage, and no session_closed', async () => {
    ask('Hello, world. How are you?');
    await settle();
    expect(kinds()).toEqual(['audio', 'final']);
    expect(frames.at(-1)).toEqual({
      final: true,
      chunks: of('audio').length,
      total_samples: 6240,
      dur_ms: 260,
      gen_ms: 0,
      rtf: 0,
      usage: { audio_seconds: 0.26, characters: 26, cost_cents: 0.02, currency: 'eur', model_id: 'kugel-3' },
    });
    expect(closes).toEqual([]);
  });

  it('4 audio frames have the fields of 1.5 and no context', async () => {
    ask('Hello', { output_format: 'ulaw_8000' });
    await settle();
    expect(of('audio')[0]).toEqual({
      audio: expect.any(String),
      enc: 'mulaw',
      idx: 0,
      sr: 8000,
      samples: 400,
      chunk_id: 0,
    });
  });

  it('4 words follow the audio, timed over the whole text, and name no chunk', async () => {
    const text = 'One sentence. And then another one.';
    ask(text, { word_timestamps: true });
    await settle();
    expect(kinds()).toEqual(['audio', 'word_timestamps', 'final']);
    const [frame] = of('word_timestamps');
    expect(Object.keys(frame ?? {})).toEqual(['word_timestamps']);
    const words = frame?.word_timestamps as { word: string; char_start: number; char_end: number }[];
    expect(words.map(({ char_start, char_end }) => text.slice(char_start, char_end))).toEqual(
      words.map(({ word }) => word),
    );
    expect(words).toHaveLength(6);
  });

  it('4.1 the next request may follow on the same socket, and one that comes early waits', async () => {
    ask('One');
    ask('Two', { model_id: 'kugel-2' });
    await settle();
    ask('Three');
    await settle();
    expect(engine.requests.map(({ text }) => text)).toEqual(['One', 'Two', 'Three']);
    expect(of('final').map(({ usage }) => (usage as Frame).model_id)).toEqual([
      'kugel-3',
      'kugel-2',
      'kugel-3',
    ]);
  });

  it('speaks the longest text as one piece', async () => {
    ask(`${'word. '.repeat(1666)}end.`);
    await settle();
    expect(engine.requests).toHaveLength(1);
  });

  it('takes no setting from an earlier request', async () => {
    ask('One', { speed: 1.2 });
    ask('Two');
    await settle();
    expect(engine.requests.map(({ speed }) => speed)).toEqual([1.2, 1]);
  });

  it('4.5 takes what the JS SDK sends, null and unknown fields included', async () => {
    ask('Hi', {
      model_id: 'kugel-3',
      cfg_scale: 2,
      max_new_tokens: 2048,
      sample_rate: 24_000,
      normalize: true,
      language: null,
      speaker_prefix: true,
    });
    await settle();
    expect(kinds()).toEqual(['audio', 'final']);
  });

  it('an unpriced key has no charge', async () => {
    open(false);
    ask('Hi');
    await settle();
    expect(frames.at(-1)?.usage).toMatchObject({ cost_cents: null, cost_unavailable: true });
  });
});

describe('4 update_settings', () => {
  it('is sticky, and a value in a request wins', async () => {
    send({ update_settings: { speed: 0.9, temperature: 0.1 } });
    expect(frames).toEqual([
      {
        settings_updated: true,
        settings: {
          cfg_scale: 2,
          temperature: 0.1,
          speed: 0.9,
          max_new_tokens: 2048,
          language: null,
          normalize: true,
        },
      },
    ]);
    ask('One');
    ask('Two', { speed: 1.1 });
    await settle();
    expect(engine.requests.map(({ speed, variation }) => [speed, variation])).toEqual([
      [0.9, 0.1],
      [1.1, 0.1],
    ]);
  });
});

describe('4.3 cancel', () => {
  it('replaces final, drops what waits, and the socket goes on', async () => {
    engine.hold();
    ask('One');
    ask('Two');
    await settle();
    send({ cancel: true });
    engine.release();
    await settle();
    expect(kinds()).toEqual(['interrupted']);
    ask('Three');
    await settle();
    expect(kinds()).toEqual(['interrupted', 'audio', 'final']);
  });

  it('is acknowledged with nothing running', () => {
    send({ cancel: true });
    expect(frames).toEqual([{ interrupted: true }]);
  });
});

describe('refusals', () => {
  const refused: [string, Frame, string, RegExp][] = [
    ['no text', { voice_id: 1071 }, 'VALIDATION_ERROR', /text: expected a text/],
    ['blank text', { voice_id: 1071, text: ' ' }, 'VALIDATION_ERROR', /text: expected a text/],
    ['text over the limit', { voice_id: 1071, text: 'x'.repeat(10_001) }, 'VALIDATION_ERROR', /10000/],
    ['no voice', { text: 'Hi' }, 'MISSING_VOICE_ID', /voice_id/],
    ['an unknown voice', { text: 'Hi', voice_id: 9 }, 'NOT_FOUND', /Voice not found/],
    ['a setting out of range', { text: 'Hi', voice_id: 1071, speed: 3 }, 'VALIDATION_ERROR', /speed/],
    [
      'formats that disagree',
      { text: 'Hi', voice_id: 1071, output_format: 'ulaw_8000', sample_rate: 16_000 },
      'VALIDATION_ERROR',
      /sample_rate/,
    ],
  ];
  it.each(refused)('%s, and the socket goes on', async (_, message, name, why) => {
    send(message);
    expect(frames).toEqual([
      { error: expect.stringMatching(why), error_code: name, code: expect.any(Number), request_id: 'r-1' },
    ]);
    ask('Fine');
    await settle();
    expect(kinds()).toEqual(['error', 'audio', 'final']);
  });

  it('more requests than may wait', () => {
    engine.hold();
    for (let count = 0; count <= MAX_WAITING_TURNS; count += 1) ask('Hi');
    expect(frames.at(-1)).toMatchObject({ error_code: 'VALIDATION_ERROR' });
  });

  it('a failed generation closes with 4000', async () => {
    engine.failNext();
    ask('One');
    await settle();
    expect(frames).toMatchObject([{ error_code: 'INTERNAL_ERROR', code: 500 }]);
    expect(closes).toEqual([[4000, 'INTERNAL_ERROR']]);
  });
});

describe('2.3.33 going away', () => {
  it('closes an idle socket at once, and a busy one after its final', async () => {
    session.goingAway();
    expect(closes).toEqual([[1012, 'restarting']]);
    open();
    ask('One');
    session.goingAway();
    ask('Two');
    expect(frames).toMatchObject([{ error_code: 'VALIDATION_ERROR' }]);
    await settle();
    expect(kinds()).toEqual(['error', 'audio', 'final']);
    expect(closes).toEqual([[1012, 'restarting']]);
  });

  it('a client that is gone stops the synthesis', async () => {
    engine.hold();
    ask('One');
    await settle();
    session.gone();
    engine.release();
    await clock.advance(60_000);
    expect(frames).toEqual([]);
  });
});

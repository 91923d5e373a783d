import { describe, expect, it } from 'vitest';
import type { Frame } from '../socket-client.test-helper.ts';
import { PlayedSession, type Step } from './session-world.test-helper.ts';

/** The rules of `/ws/tts` alone; `sessions.test.ts` has those that all endpoints share. */

const play = (...steps: Step[]) => new PlayedSession('kugel-tts').play(...steps);
const ask = (text: string, config: Frame = {}): Frame => ({ voice_id: 1071, text, ...config });

describe('4 requests on one socket', () => {
  it('kugel-end-12 audio, then final with totals and usage, and no session_closed', async () => {
    const session = await play(ask('Hello, world. How are you?'));
    expect(session.kinds()).toBe('audio final');
    expect(session.world.frames.at(-1)).toEqual({
      final: true,
      chunks: session.of('audio').length,
      total_samples: 6240,
      dur_ms: 260,
      gen_ms: 0,
      rtf: 0,
      usage: { audio_seconds: 0.26, characters: 26, cost_cents: 0.02, currency: 'eur', model_id: 'kugel-3' },
    });
  });

  it('4 words follow the audio, timed over the whole text, which is chunk 0', async () => {
    const text = 'One sentence. And then another one.';
    const session = await play(ask(text, { word_timestamps: true }));
    expect(session.kinds()).toBe('audio word_timestamps final');
    const [frame] = session.of('word_timestamps');
    expect(frame?.chunk_id).toBe(0);
    const words = frame?.word_timestamps as { word: string; char_start: number; char_end: number }[];
    expect(words.map(({ char_start, char_end }) => text.slice(char_start, char_end))).toEqual(
      words.map(({ word }) => word),
    );
    expect(words).toHaveLength(6);
  });

  it('kugel-turn-12 the next request may follow, one that comes early waits, and none has a setting of another', async () => {
    const session = await play(ask('One', { speed: 1.2 }), ask('Two'), 0, ask('Three'));
    expect(session.requests.map(({ text, speed }) => [text, speed])).toEqual([
      ['One', 1.2],
      ['Two', 1],
      ['Three', 1],
    ]);
    expect(session.kinds()).toBe('audio final audio final audio final');
  });

  it('speaks the longest text as one piece', async () => {
    const { requests } = await play(ask(`${'word. '.repeat(1666)}end.`));
    expect(requests).toHaveLength(1);
  });

  it('kugel-message-53 takes what the JS SDK sends, null and unknown fields included', async () => {
    const fields = { cfg_scale: 2, max_new_tokens: 2048, sample_rate: 24_000, normalize: true };
    const session = await play(
      ask('Hi', { model_id: 'kugel-3', ...fields, language: null, speaker_prefix: true }),
    );
    expect(session.kinds()).toBe('audio final');
  });

  it('4 update_settings is sticky, and a value in a request wins', async () => {
    const update = { update_settings: { speed: 0.9, temperature: 0.1 } };
    const { requests } = await play(update, ask('One'), ask('Two', { speed: 1.1 }));
    expect(requests.map(({ speed, variation }) => [speed, variation])).toEqual([
      [0.9, 0.1],
      [1.1, 0.1],
    ]);
  });

  it.each([{ voice_id: 1071 }, ask(' ')])('refuses %j, which has no text', async (message) => {
    const session = await play(message, ask('Fine'));
    expect(session.kinds()).toBe('error audio final');
    const error = 'Invalid request: text: expected a text to speak, got none';
    expect(session.of('error')).toMatchObject([{ error, error_code: 'VALIDATION_ERROR', code: 400 }]);
  });
});

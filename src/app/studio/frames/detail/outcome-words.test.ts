import { describe, expect, it } from 'vitest';
import type { FrameOutcome } from '#recordings/view/frame-outcome.ts';
import { outcomeFigures, outcomeWords } from './outcome-words.ts';

const outcome = (change: Partial<FrameOutcome>): FrameOutcome => ({
  index: 5,
  turn: 1,
  chunk: 0,
  sampleRate: 24_000,
  sample: 4800,
  count: 4800,
  turnSamples: 48_000,
  atUs: 43_564_000,
  kind: 'heard',
  played: [{ sample: 4800, count: 4800, atMs: 43_887 }],
  dropped: null,
  problem: null,
  window: { sample: 0, samples: new Int16Array() },
  words: [],
  ...change,
});

describe('the outcome of a frame', () => {
  it('has figures only for a frame that was heard whole', () => {
    expect(outcomeFigures(outcome({}))).toEqual([
      ['Received', '43.564 s'],
      ['In the buffer', '323 ms'],
      ['Heard', '43.887 s to 44.087 s'],
    ]);
    expect(outcomeWords(outcome({}))).toBeNull();
  });

  it('names the silences inside the frame', () => {
    const played = [
      { sample: 4800, count: 2400, atMs: 43_887 },
      { sample: 7200, count: 2400, atMs: 44_103 },
    ];
    expect(outcomeFigures(outcome({ played })).at(-1)).toEqual(['Heard', '43.887 s to 44.203 s']);
    expect(outcomeWords(outcome({ played }))).toBe(
      'Heard in 2 pieces: 116 ms of silence before its sample 2,400.',
    );
  });

  it.each([
    ['waiting', 'not yet', /waits in the buffer/],
    ['dropped', 'never', /never heard: the turn was cancelled/],
    ['late', 'never', /too late .* the turn was cancelled/],
    ['unknown', 'not recorded', /does not say/],
  ] as const)('is said where it was not heard: %s', (kind, heard, words) => {
    const unheard = outcome({ kind, played: [], dropped: { sample: 0, why: 'cancel' } });
    expect(outcomeFigures(unheard)).toEqual([
      ['Received', '43.564 s'],
      ['Heard', heard],
    ]);
    expect(outcomeWords(unheard)).toMatch(words);
  });

  it('names the sample where a turn was cut off', () => {
    const cut = outcome({ kind: 'cut', dropped: { sample: 6000, why: 'bargeIn' } });
    expect(outcomeWords(cut)).toBe('Cut off at its sample 1,200: another line cut it off.');
  });
});

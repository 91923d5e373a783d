import { describe, expect, it } from 'vitest';
import type { Became } from '#recordings/view/became.ts';
import { fateFigures, fateWords } from './fate.ts';

const became = (change: Partial<Became>): Became => ({
  index: 5,
  turn: 1,
  chunk: 0,
  sampleRate: 24_000,
  sample: 4800,
  count: 4800,
  turnSamples: 48_000,
  receivedUs: 43_564_000,
  fate: 'heard',
  heard: [{ sample: 4800, count: 4800, fromUs: 43_887_000, toUs: 44_087_000 }],
  dropped: null,
  problem: null,
  window: { sample: 0, samples: new Int16Array() },
  words: [],
  ...change,
});

describe('what became of a frame', () => {
  it('is told in figures where all of it was heard', () => {
    expect(fateFigures(became({}))).toEqual([
      ['Received', '43.564 s'],
      ['In the buffer', '323 ms'],
      ['Heard', '43.887 s to 44.087 s'],
    ]);
    expect(fateWords(became({}))).toBeNull();
  });

  it('has the silences in the middle of it', () => {
    const heard = [
      { sample: 4800, count: 2400, fromUs: 43_887_000, toUs: 43_987_000 },
      { sample: 7200, count: 2400, fromUs: 44_103_000, toUs: 44_203_000 },
    ];
    expect(fateFigures(became({ heard })).at(-1)).toEqual(['Heard', '43.887 s to 44.203 s']);
    expect(fateWords(became({ heard }))).toBe(
      'Heard in 2 pieces: 116 ms of silence before its sample 2,400.',
    );
  });

  it.each([
    ['waiting', 'not yet', /waits in the buffer/],
    ['dropped', 'never', /never heard: the turn was cancelled/],
    ['late', 'never', /too late .* the turn was cancelled/],
    ['unknown', 'not recorded', /does not say/],
  ] as const)('is said where it was not heard: %s', (fate, heard, words) => {
    const unheard = became({ fate, heard: [], dropped: { sample: 0, why: 'cancel' } });
    expect(fateFigures(unheard)).toEqual([
      ['Received', '43.564 s'],
      ['Heard', heard],
    ]);
    expect(fateWords(unheard)).toMatch(words);
  });

  it('says where a turn was cut off', () => {
    const cut = became({ fate: 'cut', dropped: { sample: 6000, why: 'bargeIn' } });
    expect(fateWords(cut)).toBe('Cut off at its sample 1,200: another line cut it off.');
  });
});

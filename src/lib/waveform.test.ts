import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peaksOf, soundLevelOf } from './waveform.ts';

const anySamples = fc.int16Array({ minLength: 1, maxLength: 300 });

describe('peaksOf', () => {
  it('finds what a search of each column finds', () => {
    fc.assert(
      fc.property(anySamples, fc.integer({ min: 1, max: 400 }), (samples, columns) => {
        const { min, max } = peaksOf(samples, columns);
        const naive = Array.from({ length: columns }, (_, column) => {
          const within = [...samples].filter((_, at) => {
            // A sample belongs to the columns that its own stretch of time touches with its beginning.
            const from = Math.floor((column * samples.length) / columns);
            const to = Math.floor(((column + 1) * samples.length) / columns);
            return at >= from && (at < to || at === from);
          });
          return [Math.min(...within), Math.max(...within)];
        });
        expect(Array.from(min, (low, at) => [low, max[at]])).toEqual(naive);
      }),
    );
  });

  it('loses no extreme, and never crosses over', () => {
    fc.assert(
      fc.property(anySamples, fc.integer({ min: 1, max: 400 }), (samples, columns) => {
        const { min, max } = peaksOf(samples, columns);
        expect(Math.min(...min)).toBe(Math.min(...samples));
        expect(Math.max(...max)).toBe(Math.max(...samples));
        expect(min.every((low, at) => low <= (max[at] ?? Number.NaN))).toBe(true);
      }),
    );
  });

  it('has no columns where there is nothing, or no room', () => {
    expect(peaksOf(new Int16Array(), 10).min).toHaveLength(0);
    expect(peaksOf(new Int16Array(10), 0).max).toHaveLength(0);
    expect(peaksOf(new Int16Array(10), -3).max).toHaveLength(0);
  });
});

describe('soundLevelOf', () => {
  it('is 0 dBFS for the loudest square wave', () => {
    const level = soundLevelOf(new Int16Array(100).fill(-32_768));
    expect(level.peakDbfs).toBeCloseTo(0, 9);
    expect(level.rmsDbfs).toBeCloseTo(0, 9);
  });

  it('is 3 dB lower in the mean than at the peak of a sine', () => {
    const sine = Int16Array.from({ length: 4800 }, (_, at) => 16_384 * Math.sin((2 * Math.PI * at) / 48));
    const { peakDbfs, rmsDbfs } = soundLevelOf(sine);
    expect(peakDbfs).toBeCloseTo(-6.02, 2);
    expect(rmsDbfs).toBeCloseTo(-9.03, 2);
  });

  it('has no figure for silence', () => {
    expect(soundLevelOf(new Int16Array(10))).toEqual({ peakDbfs: null, rmsDbfs: null });
    expect(soundLevelOf(new Int16Array())).toEqual({ peakDbfs: null, rmsDbfs: null });
  });

  it('has a mean that is never above the peak, and a peak never above full scale', () => {
    fc.assert(
      fc.property(anySamples, (samples) => {
        const { peakDbfs, rmsDbfs } = soundLevelOf(samples);
        if (peakDbfs === null || rmsDbfs === null) {
          expect(samples.every((sample) => sample === 0)).toBe(true);
          return;
        }
        expect(peakDbfs).toBeLessThanOrEqual(0);
        expect(rmsDbfs).toBeLessThanOrEqual(peakDbfs + 1e-9);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeastMargin } from './margin.ts';

/** At this rate a sample is a millisecond. */
const RATE = 1000;
const START_MS = 40;
/** Heard without a break. */
const heardAt = (sample: number) => START_MS + sample;

describe('the least margin', () => {
  it.each([
    ['before anything was heard', 0, null],
    ['while the first frame is heard', 199, null],
    ['once the first frame was heard', 200, 140],
    ['once the second frame was heard', 400, -60],
  ])('%s', (_, played, expected) => {
    const margin = new LeastMargin();
    margin.arrived(0, 0);
    margin.arrived(200, 100);
    margin.arrived(400, 500);
    margin.played(played, RATE, heardAt);
    expect(margin.ms).toBe(expected);
  });

  it('is the least time for which the audio before a frame still lasted, however often it is read', () => {
    const frame = fc.record({
      gapMs: fc.integer({ min: 0, max: 100 }),
      samples: fc.integer({ min: 1, max: 80 }),
    });
    const reads = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 30 }), reads, (frames, lengths) => {
        const margin = new LeastMargin();
        const margins: number[] = [];
        let atMs = 0;
        let total = 0;
        for (const { gapMs, samples } of frames) {
          atMs += gapMs;
          margin.arrived(total, atMs);
          if (total > 0) margins.push(heardAt(total) - atMs);
          total += samples;
        }
        let played = 0;
        for (const length of [...lengths, total]) {
          played = Math.min(total, played + length);
          margin.played(played, RATE, heardAt);
        }
        expect(margin.ms).toBe(margins.length > 0 ? Math.min(...margins) : null);
      }),
    );
  });
});

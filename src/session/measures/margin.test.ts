import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeastMargin } from './margin.ts';

/** At this rate a sample is a millisecond. */
const RATE = 1000;

/** Heard without a break from then on. */
const heardFrom = (startMs: number) => (sample: number) => startMs + sample;

describe('LeastMargin', () => {
  it('is how long what came before a frame was still to be heard', () => {
    const margin = new LeastMargin();
    margin.arrived(0, 1000);
    margin.arrived(200, 1100);
    margin.arrived(400, 1350);
    // Heard from 1060 on: the first 200 samples until 1260, the next until 1460.
    margin.played(200, RATE, heardFrom(1060));
    expect(margin.ms).toBe(160);
    margin.played(400, RATE, heardFrom(1060));
    expect(margin.ms).toBe(110);
  });

  it('is below 0 by how much a frame came too late', () => {
    const margin = new LeastMargin();
    margin.arrived(0, 1000);
    margin.arrived(200, 1500);
    margin.played(200, RATE, heardFrom(1060));
    expect(margin.ms).toBe(-240);
  });

  it.each([
    ['before anything was heard', 0],
    ['while the first frame is heard', 199],
  ])('is unknown %s', (_, played) => {
    const margin = new LeastMargin();
    margin.arrived(0, 1000);
    margin.arrived(200, 1100);
    margin.played(played, RATE, heardFrom(1060));
    expect(margin.ms).toBeNull();
  });

  it('is unknown of a turn of one frame', () => {
    const margin = new LeastMargin();
    margin.arrived(0, 1000);
    margin.played(200, RATE, heardFrom(1060));
    expect(margin.ms).toBeNull();
  });

  it('is the same however often it is looked at', () => {
    const frame = fc.record({
      gapMs: fc.integer({ min: 0, max: 100 }),
      samples: fc.integer({ min: 1, max: 80 }),
    });
    const looks = fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.array(frame, { minLength: 2, maxLength: 30 }), looks, (steps, lengths) => {
        const startMs = 40;
        const [often, once] = [new LeastMargin(), new LeastMargin()];
        const margins: number[] = [];
        let atMs = 0;
        let total = 0;
        for (const { gapMs, samples } of steps) {
          atMs += gapMs;
          often.arrived(total, atMs);
          once.arrived(total, atMs);
          if (total > 0) margins.push(startMs + total - atMs);
          total += samples;
        }
        let played = 0;
        for (const length of lengths) {
          played = Math.min(total, played + length);
          often.played(played, RATE, heardFrom(startMs));
        }
        often.played(total, RATE, heardFrom(startMs));
        once.played(total, RATE, heardFrom(startMs));
        expect(often.ms).toBe(once.ms);
        expect(once.ms).toBe(Math.min(...margins));
      }),
    );
  });
});

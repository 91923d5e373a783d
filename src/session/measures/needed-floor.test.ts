import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NeededFloor } from './needed-floor.ts';

/** At this rate a sample is a millisecond, so that all sums are exact. */
const RATE = 1000;

interface Frame {
  arrivalMs: number;
  samples: number;
}

function neededMs(frames: readonly Frame[]): number {
  const floor = new NeededFloor(RATE);
  for (const { arrivalMs, samples } of frames) floor.add(arrivalMs, samples);
  return floor.ms;
}

/** A player that starts once it has the floor, or all there is. */
function runsDry(frames: readonly Frame[], floorSamples: number): boolean {
  let received = 0;
  let startMs = frames.at(-1)?.arrivalMs ?? 0;
  for (const { arrivalMs, samples } of frames) {
    received += samples;
    if (received >= floorSamples) {
      startMs = arrivalMs;
      break;
    }
  }
  let before = 0;
  return frames.some(({ arrivalMs, samples }) => {
    const isLate = arrivalMs > startMs + before;
    before += samples;
    return isLate;
  });
}

function smallestByTrial(frames: readonly Frame[]): number {
  for (let floor = 0; ; floor += 1) if (!runsDry(frames, floor)) return floor;
}

describe('NeededFloor', () => {
  const cases: [string, Frame[], number][] = [
    ['needs none for a single frame', [{ arrivalMs: 70, samples: 200 }], 0],
    [
      'needs none where audio comes as fast as it is heard',
      [
        { arrivalMs: 0, samples: 100 },
        { arrivalMs: 100, samples: 100 },
        { arrivalMs: 200, samples: 100 },
      ],
      0,
    ],
    [
      'needs more than one frame where the second is late by a moment',
      [
        { arrivalMs: 0, samples: 100 },
        { arrivalMs: 101, samples: 100 },
      ],
      101,
    ],
    [
      'needs as much as a stall later on would have taken',
      [
        { arrivalMs: 1000, samples: 200 },
        { arrivalMs: 1100, samples: 200 },
        { arrivalMs: 1200, samples: 200 },
        // Heard from the first frame on, all before it would have lasted until 1600 only.
        { arrivalMs: 1750, samples: 200 },
      ],
      // A start 150 ms later is needed, and the third frame is the first to come no earlier.
      401,
    ],
  ];
  it.each(cases)('%s', (_, frames, expected) => {
    expect(neededMs(frames)).toBe(expected);
    expect(smallestByTrial(frames)).toBe(expected);
  });

  it('is the smallest floor without an underrun, for any arrivals', () => {
    const frame = fc.record({
      gapMs: fc.integer({ min: 0, max: 60 }),
      samples: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 40 }), (steps) => {
        let nowMs = 5000;
        const frames = steps.map(({ gapMs, samples }) => {
          nowMs += gapMs;
          return { arrivalMs: nowMs, samples };
        });
        expect(neededMs(frames)).toBe(smallestByTrial(frames));
      }),
    );
  });

  it('remembers every frame of a long turn', () => {
    const paced = Array.from({ length: 2000 }, (_, at) => ({ arrivalMs: at * 20, samples: 20 }));
    expect(neededMs([...paced, { arrivalMs: 41_000, samples: 20 }])).toBe(1001);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NeededPrebuffer } from './needed-prebuffer.ts';

/** At this rate a sample is a millisecond, so that all sums are exact. */
const RATE = 1000;

interface Frame {
  arrivalMs: number;
  samples: number;
}

function neededMs(frames: readonly Frame[]): number {
  const target = new NeededPrebuffer(RATE);
  for (const { arrivalMs, samples } of frames) target.add(arrivalMs, samples);
  return target.ms;
}

/** Whether a player runs dry that starts with this target, or with all there is. */
function runsDry(frames: readonly Frame[], targetSamples: number): boolean {
  let received = 0;
  const starting = frames.find(({ samples }) => {
    received += samples;
    return received >= targetSamples;
  });
  const startMs = (starting ?? frames.at(-1))?.arrivalMs ?? 0;
  let before = 0;
  return frames.some(({ arrivalMs, samples }) => {
    const isLate = arrivalMs > startMs + before;
    before += samples;
    return isLate;
  });
}

function smallestByTrial(frames: readonly Frame[]): number {
  for (let target = 0; ; target += 1) if (!runsDry(frames, target)) return target;
}

it('is the smallest target without an underrun, for any arrivals', () => {
  const frame = fc.record({
    gapMs: fc.integer({ min: 0, max: 60 }),
    samples: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { minLength: 1, maxLength: 40 }), (steps) => {
      let arrivalMs = 5000;
      const frames = steps.map(({ gapMs, samples }) => {
        arrivalMs += gapMs;
        return { arrivalMs, samples };
      });
      expect(neededMs(frames)).toBe(smallestByTrial(frames));
    }),
  );
});

it('considers every frame of a long turn', () => {
  const paced = Array.from({ length: 2000 }, (_, at) => ({ arrivalMs: at * 20, samples: 20 }));
  expect(neededMs([...paced, { arrivalMs: 41_000, samples: 20 }])).toBe(1001);
});

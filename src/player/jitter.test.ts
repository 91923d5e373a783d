import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JitterEstimator, MARGIN_MS, MAX_FLOOR_MS, UNKNOWN_ALLOWANCE_MS } from './jitter.ts';

/** A turn of frames of that length that arrive at those times. */
function turn(jitter: JitterEstimator, arrivalsMs: readonly number[], frameMs = 200): void {
  jitter.beginTurn();
  for (const arrivalMs of arrivalsMs) jitter.frame(arrivalMs, frameMs);
}

const FAST = [0, 100, 200, 300];
/** The third frame comes 110 ms after the two before it have been played. */
const LATE = [0, 198, 510, 600];

describe('the start floor', () => {
  it('is nothing before there is audio', () => {
    expect(new JitterEstimator().floor).toEqual({ floorMs: 0, maxWaitMs: 0, reason: 'no audio yet' });
  });

  it('is more than one audio frame until gaps are known, so that the first never meets it alone', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0]);
    expect(jitter.floor).toEqual({
      floorMs: 200 + UNKNOWN_ALLOWANCE_MS,
      maxWaitMs: 200 + UNKNOWN_ALLOWANCE_MS,
      reason: 'one audio frame of 200 ms + 60 ms until gaps are known',
    });
  });

  it('is one audio frame once turns have come without gaps', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, [1000], 180);
    expect(jitter.floor).toMatchObject({
      floorMs: 180,
      reason: 'one audio frame of 180 ms because recent turns had no gaps',
    });
  });

  it('is one audio frame and what turns would have needed', () => {
    const jitter = new JitterEstimator();
    turn(jitter, LATE);
    turn(jitter, [1000]);
    expect(jitter.floor).toMatchObject({
      floorMs: 200 + 110 + MARGIN_MS,
      maxWaitMs: 200 + 110 + MARGIN_MS,
      reason: 'one audio frame of 200 ms + 130 ms for gaps of recent turns',
    });
  });

  it('forgets a single stall after some good turns, and an old one altogether', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0, 5000]);
    for (let i = 0; i < 4; i += 1) turn(jitter, FAST);
    turn(jitter, [0]);
    expect(jitter.floor.floorMs).toBe(200);
  });

  it('does not learn from a turn of one audio frame', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0]);
    turn(jitter, [500]);
    expect(jitter.floor.reason).toContain('until gaps are known');
  });

  it('grows with gaps that the turn itself shows before it starts', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, [0, 90], 20);
    expect(jitter.floor).toMatchObject({ floorMs: 20 + 70 + MARGIN_MS });
    expect(jitter.floor.reason).toContain('for gaps seen in this turn');
  });

  it('after an underrun is what the turn has shown, within bounds', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, LATE);
    jitter.underrun();
    expect(jitter.floor).toMatchObject({ floorMs: 330 });
    expect(jitter.floor.reason).toContain('after an underrun in this turn');
    jitter.frame(9000, 200);
    expect(jitter.floor.floorMs).toBe(450);
  });

  it('does not wait as long as a very long audio frame for the one behind it', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0], 1400);
    expect(jitter.floor).toMatchObject({ floorMs: 1460, maxWaitMs: 460 });
  });

  it('is never less than an audio frame, nor more than its bound beyond that', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.record({ gapMs: fc.nat(3000), frameMs: fc.integer({ min: 1, max: 2500 }) })), {
          maxLength: 14,
        }),
        fc.boolean(),
        (turns, underrun) => {
          const jitter = new JitterEstimator();
          let nowMs = 0;
          for (const frames of turns) {
            jitter.beginTurn();
            let largest = 0;
            for (const { gapMs, frameMs } of frames) {
              nowMs += gapMs;
              jitter.frame(nowMs, frameMs);
              if (underrun) jitter.underrun();
              largest = Math.max(largest, frameMs);
              const { floorMs, maxWaitMs } = jitter.floor;
              expect(floorMs).toBeGreaterThanOrEqual(largest);
              expect(floorMs).toBeLessThanOrEqual(Math.max(largest, MAX_FLOOR_MS));
              expect(maxWaitMs).toBeLessThanOrEqual(floorMs);
            }
          }
        },
      ),
    );
  });
});

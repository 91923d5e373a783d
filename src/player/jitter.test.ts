import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrivalHistory } from './arrivals.ts';
import { JitterEstimator } from './jitter.ts';

const MARGIN_MS = 12;

/** A turn of frames of that length that arrive at those times. */
function turn(jitter: JitterEstimator, arrivalsMs: readonly number[], frameMs = 200): void {
  jitter.beginTurn();
  for (const arrivalMs of arrivalsMs) jitter.frame(arrivalMs, frameMs);
}

const every = (ms: number, frames = 10): number[] => Array.from({ length: frames }, (_, k) => k * ms);

const FAST = every(100);
/** The third frame comes 110 ms after the two before it have been played. */
const LATE = [0, 198, 510, 600, 700, 800, 900, 1000, 1100, 1200];

const CAREFUL_MS = 260;

describe('the prebuffer target', () => {
  it('is nothing before there is audio', () => {
    expect(new JitterEstimator().target).toEqual({ targetMs: 0, maxWaitMs: 0, reason: 'no audio yet' });
  });

  it('is more than one audio frame until gaps are known, so that the first never meets it alone', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0]);
    expect(jitter.target).toEqual({
      targetMs: CAREFUL_MS,
      maxWaitMs: CAREFUL_MS,
      reason: 'one audio frame of 200 ms + 60 ms until gaps are known',
    });
  });

  it('is one audio frame, at once, where audio has come faster than it plays', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, [1000], 180);
    expect(jitter.target).toEqual({
      targetMs: 180,
      maxWaitMs: 0,
      reason: 'one audio frame of 180 ms because recent turns had no gaps',
    });
  });

  it('waits as long as an audio frame of real-time pace may be late', () => {
    const jitter = new JitterEstimator();
    turn(jitter, every(200));
    turn(jitter, [5000]);
    expect(jitter.target).toMatchObject({ targetMs: 200 + MARGIN_MS, maxWaitMs: MARGIN_MS });
  });

  it('is one audio frame and what turns would have needed, or a wait of as long', () => {
    const jitter = new JitterEstimator();
    turn(jitter, LATE);
    turn(jitter, [2000]);
    const { targetMs, maxWaitMs, reason } = jitter.target;
    expect(maxWaitMs).toBeGreaterThanOrEqual(112 + MARGIN_MS);
    expect(maxWaitMs).toBeLessThanOrEqual(112 * 1.25 + MARGIN_MS);
    expect(targetMs).toBe(200 + maxWaitMs);
    const ms = Math.round(maxWaitMs);
    expect(reason).toBe(
      `one audio frame of 200 ms + ${ms} ms for gaps of recent turns, or a wait of ${ms} ms`,
    );
  });

  it('is reached sooner where the second audio frame comes early', () => {
    const jitter = new JitterEstimator();
    turn(jitter, LATE);
    turn(jitter, [2000]);
    const { maxWaitMs } = jitter.target;
    jitter.frame(2160, 200);
    expect(jitter.target.maxWaitMs).toBeCloseTo(maxWaitMs - 40);
  });

  it('does not learn from a turn of one audio frame', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0]);
    turn(jitter, [500]);
    expect(jitter.target.reason).toContain('until gaps are known');
  });

  it('grows with gaps that the turn itself shows before it starts', () => {
    const jitter = new JitterEstimator();
    turn(jitter, every(10, 20), 20);
    turn(jitter, [0, 90], 20);
    expect(jitter.target).toMatchObject({ targetMs: 20 + 70 + MARGIN_MS });
    expect(jitter.target.reason).toContain('for gaps seen in this turn');
  });

  it('after an underrun is what the turn has shown, within bounds', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, [0, 100, 510]);
    jitter.underrun();
    expect(jitter.target).toMatchObject({ targetMs: 200 + 210 + MARGIN_MS });
    expect(jitter.target.reason).toContain('after an underrun in this turn');
    jitter.frame(9000, 200);
    expect(jitter.target.targetMs).toBe(450);
  });

  it('is careful for ten turns after an underrun, and says so', () => {
    const jitter = new JitterEstimator();
    turn(jitter, FAST);
    turn(jitter, FAST);
    jitter.resumed();
    for (let left = 10; left > 0; left -= 1) {
      turn(jitter, FAST);
      expect(jitter.target.targetMs).toBe(CAREFUL_MS);
      expect(jitter.target.reason).toContain(
        `for ${left} more turn${left === 1 ? '' : 's'} after an underrun`,
      );
    }
    turn(jitter, FAST);
    expect(jitter.target.maxWaitMs).toBe(0);
  });

  it('is that of the server that speaks, also after another one has spoken', () => {
    const [fast, unknown] = [new ArrivalHistory(), new ArrivalHistory()];
    const jitter = new JitterEstimator(fast);
    turn(jitter, FAST);
    jitter.learnFrom(unknown);
    turn(jitter, [0]);
    expect(jitter.target.targetMs).toBe(CAREFUL_MS);
    jitter.learnFrom(fast);
    turn(jitter, [0]);
    expect(jitter.target.targetMs).toBe(200);
  });

  it('is learned by all contexts from the turns of each, once a turn has ended', () => {
    const history = new ArrivalHistory();
    const [anna, ben] = [new JitterEstimator(history), new JitterEstimator(history)];
    turn(anna, FAST);
    anna.endTurn();
    turn(ben, [0]);
    expect(ben.target.maxWaitMs).toBe(0);
  });

  it('does not wait as long as a very long audio frame for the one behind it', () => {
    const jitter = new JitterEstimator();
    turn(jitter, [0], 1400);
    expect(jitter.target).toMatchObject({ targetMs: 1460, maxWaitMs: 460 });
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
              const { targetMs, maxWaitMs } = jitter.target;
              expect(targetMs).toBeGreaterThanOrEqual(largest);
              expect(targetMs).toBeLessThanOrEqual(Math.max(largest, 1500));
              expect(maxWaitMs).toBeGreaterThanOrEqual(0);
              expect(maxWaitMs).toBeLessThanOrEqual(targetMs);
            }
          }
        },
      ),
    );
  });
});

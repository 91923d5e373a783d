import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/statistics/random.ts';
import { ArrivalHistory, Arrivals, type Pace } from './arrivals.ts';

const CAREFUL_TURNS = 10;
const MARGIN_MS = 12;

interface Frame {
  arrivalMs: number;
  durationMs: number;
}

function paceOf(frames: readonly Frame[]): Pace | null {
  const arrivals = new Arrivals();
  for (const { arrivalMs, durationMs } of frames) arrivals.add(arrivalMs, durationMs);
  return arrivals.pace();
}

/** The delay behind the first of these frames with which none would have come too late. */
function neededFrom(frames: readonly Frame[], firstMs = frames[0]?.durationMs ?? 0): number {
  let audioMs = firstMs;
  let neededMs = Number.NEGATIVE_INFINITY;
  for (const { arrivalMs, durationMs } of frames.slice(1)) {
    neededMs = Math.max(neededMs, arrivalMs - (frames[0]?.arrivalMs ?? 0) - audioMs);
    audioMs += durationMs;
  }
  return neededMs;
}

const EVERY_100_MS = Array.from({ length: 10 }, (_, k) => ({ arrivalMs: k * 100, durationMs: 200 }));

const someFrames = fc
  .array(fc.record({ gapMs: fc.nat(600), durationMs: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 2,
    maxLength: 30,
  })
  .map((steps) => {
    let nowMs = 0;
    return steps.map(({ gapMs, durationMs }): Frame => {
      nowMs += gapMs;
      return { arrivalMs: nowMs, durationMs };
    });
  });

describe('the arrivals of a turn', () => {
  it('show no pace before the second audio frame', () => {
    expect(paceOf([{ arrivalMs: 70, durationMs: 200 }])).toBeNull();
  });

  it('show speed, and no late frame where audio comes faster than it plays', () => {
    const pace = paceOf(EVERY_100_MS);
    expect(pace).toMatchObject({ gaps: 9, riseMs: -100, dryMs: 100 });
    expect(pace?.rate).toBeCloseTo(0.5);
    expect(pace?.spreadMs).toBeCloseTo(0);
  });

  it('show a band no wider than the jitter', () => {
    const offsets = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(offsets, fc.double({ min: 0, max: 3, noNaN: true }), fc.nat(300), (off, rate, jitterMs) => {
        const frames = off.map((share, k) => ({
          arrivalMs: 1000 + k * 200 * rate + share * jitterMs,
          durationMs: 200,
        }));
        expect(paceOf(frames)?.spreadMs).toBeLessThanOrEqual(2 * jitterMs + 1e-6);
      }),
    );
  });

  it('show the delay that any of their audio frames would have needed as the first', () => {
    fc.assert(
      fc.property(someFrames, (frames) => {
        const starts = frames.slice(0, -1).map((_, from) => frames.slice(from));
        const pace = paceOf(frames);
        expect(pace?.riseMs).toBe(Math.max(...starts.map((rest) => neededFrom(rest))));
        expect(pace?.dryMs).toBe(Math.max(...starts.map((rest) => neededFrom(rest, 0))));
      }),
    );
  });
});

/** A turn of 30 frames of 200 ms at about real time, each up to 80 ms early or late. */
function jitteryTurn(random: () => number): Frame[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  return Array.from({ length: 30 }, (_, k) => {
    latestMs = Math.max(latestMs, k * 198 + (random() * 2 - 1) * 80);
    return { arrivalMs: latestMs, durationMs: 200 };
  });
}

describe('the history of a server', () => {
  const historyOf = (...turns: readonly (readonly Frame[])[]): ArrivalHistory => {
    const history = new ArrivalHistory();
    for (const turn of turns) {
      const pace = paceOf(turn);
      if (pace) history.remember(pace);
    }
    return history;
  };

  it('knows nothing without turns, and little of a short one', () => {
    expect(historyOf().expect()).toMatchObject({ isKnown: false, carefulTurns: 0 });
    expect(historyOf().expect().neededMs(200)).toBe(Number.NEGATIVE_INFINITY);
    expect(historyOf(EVERY_100_MS.slice(0, 5)).expect().isKnown).toBe(false);
    expect(historyOf(EVERY_100_MS.slice(0, 5), EVERY_100_MS.slice(0, 5)).expect().isKnown).toBe(true);
  });

  it('expects a shorter first audio frame to last less long', () => {
    const expected = historyOf(EVERY_100_MS).expect();
    expect([400, 200, 100, 20].map((frameMs) => expected.neededMs(frameMs))).toEqual([-100, -100, 0, 80]);
  });

  it('expects no less than the turn that it knows has needed', () => {
    fc.assert(
      fc.property(someFrames, (frames) => {
        const firstMs = frames[0]?.durationMs ?? 0;
        expect(historyOf(frames).expect().neededMs(firstMs)).toBeGreaterThanOrEqual(neededFrom(frames));
      }),
    );
  });

  it('ignores a single stall from five turns on, and forgets an old one', () => {
    const stalled = [...EVERY_100_MS, { arrivalMs: 5900, durationMs: 200 }];
    const good = Array.from({ length: 4 }, () => EVERY_100_MS);
    expect(
      historyOf(stalled, ...good.slice(1))
        .expect()
        .neededMs(200),
    ).toBeGreaterThan(1000);
    expect(
      historyOf(stalled, ...good)
        .expect()
        .neededMs(200),
    ).toBe(-100);
  });

  it.each([
    [1, 0.005],
    [3, 0.001],
  ])('after %i turns of random jitter, less than a share of %d needs more than expected', (turns, share) => {
    const random = seededRandom(turns);
    const trials = 4000;
    let wrong = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const { neededMs } = historyOf(...Array.from({ length: turns }, () => jitteryTurn(random))).expect();
      if (neededFrom(jitteryTurn(random)) > neededMs(200) + MARGIN_MS) wrong += 1;
    }
    expect(wrong / trials).toBeLessThan(share);
  });

  it('is wrong in at most one of eleven turns, for any arrivals', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 30, maxLength: 120 }), (runsDry) => {
        const history = historyOf(EVERY_100_MS);
        const wrong = runsDry.map((isDry) => {
          const { isKnown } = history.expect();
          if (isDry) history.underrun();
          return isKnown && isDry;
        });
        for (let from = 0; from + CAREFUL_TURNS < wrong.length; from += 1) {
          const among = wrong.slice(from, from + CAREFUL_TURNS + 1).filter((isWrong) => isWrong);
          expect(among.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

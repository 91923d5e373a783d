import { describe, expect, it } from 'vitest';
import type { Rates } from './estimate.ts';
import { type Progress, runPlan } from './run-plan.ts';
import { goodRun, PRICED, testLab, testPlan } from './testing/plans.ts';

const UNPRICED: Rates = { charactersPerSecond: null, price: null, byPlan: false };

async function run(
  plan: ReturnType<typeof testPlan>,
  lab: ReturnType<typeof testLab>,
  { rates = PRICED, control = new AbortController() }: { rates?: Rates; control?: AbortController } = {},
) {
  const progress: Progress[] = [];
  const results = await runPlan(plan, lab, {
    signal: control.signal,
    ratesOf: () => rates,
    onProgress: (each) => progress.push(each),
  });
  return { results, progress };
}

describe('runPlan', () => {
  it('makes every run of the plan, and keeps none of the warm-ups', async () => {
    const lab = testLab((configuration) => goodRun(configuration === 'A' ? 100 : 120));
    const { results } = await run(testPlan({ runs: 5, warmUps: 1 }), lab);
    expect(lab.log.runs).toHaveLength(12);
    expect(results.runs).toHaveLength(10);
    expect(results).toMatchObject({ ended: 'finished', endedWhy: null });
    for (const { configuration, measures } of results.runs) {
      expect(measures.waitMs).toBe(configuration === 0 ? 100 : 120);
    }
  });

  it('counts failures with their reason, and continues', async () => {
    let made = 0;
    const lab = testLab(() => {
      made += 1;
      if (made === 3) throw new Error('The audio thread has stopped.');
      return made === 5 ? { ...goodRun(1), failure: 'The connection was lost.', measures: {} } : goodRun(100);
    });
    const { results, progress } = await run(testPlan({ runs: 5 }), lab);
    expect(results.runs).toHaveLength(10);
    expect(results.runs.flatMap(({ failure }) => failure ?? [])).toEqual([
      'The audio thread has stopped.',
      'The connection was lost.',
    ]);
    expect(progress.at(-1)?.failures).toBe(2);
  });

  it('cancelled, it keeps what was measured and drops the run under way', async () => {
    const control = new AbortController();
    let made = 0;
    const lab = testLab((_configuration, _text, signal) => {
      made += 1;
      if (made === 4) control.abort();
      signal.throwIfAborted();
      return goodRun(100);
    });
    const { results } = await run(testPlan({ runs: 5 }), lab, { control });
    expect(results).toMatchObject({ ended: 'cancelled', endedWhy: null });
    expect(results.runs).toHaveLength(3);
    expect(results.runs.every(({ failure }) => failure === null)).toBe(true);
  });

  it('a run that does not end is a failure, and the next one is made', async () => {
    const lab = testLab((configuration, _text, signal) =>
      configuration === 'A'
        ? goodRun(100)
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const pause = lab.pause.bind(lab);
    // The limit passes at once.
    lab.pause = async (ms, signal) => (ms === 3000 ? undefined : await pause(ms, signal));
    const { results } = await run(testPlan({ runs: 2, timeoutMs: 3000 }), lab);
    expect(results.runs.map(({ configuration, failure }) => [configuration, failure]).sort()).toEqual([
      [0, null],
      [0, null],
      [1, 'It was not over after 3 s.'],
      [1, 'It was not over after 3 s.'],
    ]);
  });

  it('gives up where nothing succeeds', async () => {
    const lab = testLab(() => ({ ...goodRun(0), failure: 'The key is wrong.', measures: {} }));
    const { results } = await run(testPlan({ runs: 50 }), lab);
    expect(results).toMatchObject({
      ended: 'failing',
      endedWhy: 'The first 10 runs failed. The last: The key is wrong.',
    });
    expect(results.runs).toHaveLength(10);
  });

  const budgets: [string, Record<string, number>, number, RegExp][] = [
    // Each run is told to cost 0.2 cents, to last 2 s and to have 13 characters.
    ['cents', { cents: 1 }, 5, /budget of 1 cents/],
    ['seconds of audio', { audioSeconds: 7 }, 3, /budget of 7 s/],
    ['characters', { characters: 30 }, 2, /budget of 30 characters/],
  ];
  it.each(budgets)('stops before it exceeds its budget of %s', async (_, budget, runs, why) => {
    // The first runs are estimated by the rates, so these equal what the runs cost.
    const rates: Rates = {
      charactersPerSecond: 6.5,
      price: { centsPerSecond: 0.1, currency: 'eur', basis: 'measured' },
      byPlan: false,
    };
    const lab = testLab(() => goodRun(100));
    const { results } = await run(testPlan({ budget }), lab, { rates });
    expect(results.ended).toBe('budget');
    expect(results.endedWhy).toMatch(why);
    expect(lab.log.runs).toHaveLength(runs);
  });

  it('warm-ups are paid for too', async () => {
    const lab = testLab(() => goodRun(100));
    const { results } = await run(testPlan({ budget: { characters: 40 }, warmUps: 1 }), lab);
    expect(lab.log.runs).toHaveLength(3);
    expect(results.runs).toHaveLength(1);
  });

  it('stops spending where no price is known', async () => {
    const lab = testLab(() => goodRun(100, { costCents: null, currency: null }));
    const { results, progress } = await run(testPlan({ budget: { cents: 100 } }), lab, { rates: UNPRICED });
    expect(lab.log.runs).toHaveLength(1);
    expect(results.endedWhy).toMatch(/the cost of the last run is unknown/);
    expect(progress.at(-1)?.spent.costs).toBeNull();
  });

  it('estimates an unreported charge by a known price', async () => {
    const lab = testLab(() => goodRun(100, { costCents: null, currency: null }));
    const { progress } = await run(testPlan({ runs: 1 }), lab);
    expect(progress.at(-1)?.spent).toEqual({
      audioSeconds: 4,
      characters: 26,
      costs: [{ cents: 2, currency: 'eur' }],
    });
  });

  it('reports the time left, at first by estimate, then by the runs made', async () => {
    const lab = testLab(() => goodRun(100));
    const { progress } = await run(testPlan({ runs: 5, pauseMs: 0 }), lab);
    expect(progress[0]).toMatchObject({ done: 0, of: 10 });
    // 1.3 s of audio and 1.5 s around it, ten times.
    expect(progress[0]?.leftMs).toBeCloseTo(28_000, 6);
    // The lab takes a second a run.
    expect(progress[4]).toMatchObject({ done: 4, leftMs: 6000 });
    expect(progress.at(-1)).toMatchObject({ done: 10, now: null, leftMs: 0 });
  });
});

import { messageOf } from '#lib/message-of.ts';
import { estimate, type RatesOf } from './estimate.ts';
import type { Plan, PlanConfiguration, RunConnection } from './plan.ts';
import { type BenchmarkRun, newResults, type Results } from './results.ts';
import { type ScheduledRun, scheduleRuns } from './schedule.ts';
import { Spending, type Spent } from './spending.ts';

/** Result of one run, without its place in the plan. */
export type RunMade = Pick<
  BenchmarkRun,
  'failure' | 'measures' | 'audioSeconds' | 'characters' | 'costCents' | 'currency'
>;

/** Environment of a benchmark; tests have their own. */
export interface Lab {
  /**
   * Speaks a text once in a new session, so that no run reuses anything of an earlier one.
   * @throws the signal's reason; any other error makes the run a failure
   */
  run(
    configuration: PlanConfiguration,
    text: string,
    connection: RunConnection,
    signal: AbortSignal,
  ): Promise<RunMade>;
  /** @throws the signal's reason */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** Wall clock. */
  nowMs(): number;
  environment: Results['environment'];
}

export interface Progress {
  /** Of all scheduled runs, warm-ups included. */
  done: number;
  of: number;
  now: ScheduledRun | null;
  failures: number;
  spent: Spent;
  leftMs: number;
  results: Results;
}

export interface RunPlanOptions {
  /** Aborting drops the current run and keeps the results so far. */
  signal: AbortSignal;
  ratesOf: RatesOf;
  onProgress(progress: Progress): void;
}

/** The benchmark is given up after so many failures without a success, as with a wrong key or address. */
const HOPELESS_AFTER = 10;

/** Runs a plan until it is finished, over budget, cancelled or hopeless. Never rejects. */
export async function runPlan(
  plan: Plan,
  lab: Lab,
  { signal, ratesOf, onProgress }: RunPlanOptions,
): Promise<Results> {
  const scheduled = scheduleRuns(plan);
  const spending = new Spending(plan, ratesOf);
  const beganMs = lab.nowMs();
  const runs: BenchmarkRun[] = [];
  let results = newResults(plan, beganMs, lab.environment);
  const perRunMs = estimate(plan, ratesOf).durationMs / scheduled.length;
  const report = (done: number, now: ScheduledRun | null): void => {
    const passedMs = lab.nowMs() - beganMs;
    results = { ...results, endedAtMs: lab.nowMs(), runs: [...runs] };
    onProgress({
      done,
      of: scheduled.length,
      now,
      failures: runs.filter(({ failure }) => failure !== null).length,
      spent: spending.spent,
      leftMs: (scheduled.length - done) * (done === 0 ? perRunMs : passedMs / done),
      results,
    });
  };
  const end = (ended: Results['ended'], endedWhy: string | null): Results => ({
    ...results,
    endedAtMs: lab.nowMs(),
    ended,
    endedWhy,
    runs,
  });

  let done = 0;
  let hasSucceeded = false;
  try {
    for (const next of scheduled) {
      const text = plan.texts[next.text];
      const configuration = plan.configurations[next.configuration];
      if (!text || !configuration) continue;
      const refusal = spending.refusal(next);
      if (refusal !== null) return end('budget', refusal);
      report(done, next);
      if (done > 0) await lab.pause(next.pauseMs, signal);
      signal.throwIfAborted();
      const startedAtMs = lab.nowMs();
      const { made, isCutOff } = await oneRun(plan, lab, configuration, text.text, next.connection, signal);
      if (isCutOff) spending.addCutOff(next);
      else spending.add(next, made);
      const { round, connection } = next;
      if (round !== null) {
        const cell = { round, text: next.text, configuration: next.configuration, connection };
        runs.push({ ...cell, startedAtMs, ...made });
      }
      done += 1;
      hasSucceeded ||= made.failure === null;
      if (!hasSucceeded && done >= HOPELESS_AFTER) {
        return end('failing', `The first ${HOPELESS_AFTER} runs failed. The last: ${made.failure}`);
      }
    }
  } catch (error) {
    if (!signal.aborted) return end('failing', messageOf(error));
    return end('cancelled', null);
  } finally {
    report(done, null);
  }
  return end('finished', null);
}

/** Makes one run with a timeout. Its errors are its result; only the caller's signal throws. */
async function oneRun(
  plan: Plan,
  lab: Lab,
  configuration: PlanConfiguration,
  text: string,
  connection: RunConnection,
  signal: AbortSignal,
): Promise<{ made: RunMade; isCutOff: boolean }> {
  const limit = new AbortController();
  const over = new AbortController();
  const either = AbortSignal.any([signal, limit.signal]);
  lab.pause(plan.timeoutMs, over.signal).then(
    () => limit.abort(new Error(`It was not over after ${plan.timeoutMs / 1000} s.`)),
    () => undefined,
  );
  try {
    return { made: await lab.run(configuration, text, connection, either), isCutOff: false };
  } catch (error) {
    signal.throwIfAborted();
    return { made: failedRun(messageOf(error)), isCutOff: true };
  } finally {
    over.abort();
  }
}

export const failedRun = (failure: string): RunMade => ({
  failure,
  measures: {},
  audioSeconds: 0,
  characters: 0,
  costCents: null,
  currency: null,
});

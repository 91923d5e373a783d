import { create } from 'zustand';
import type { Plan } from '#benchmark/plan.ts';
import { checkPlan, describeProblem, type PlanProblem, readPlan } from '#benchmark/read-plan.ts';
import { type Results, readResults } from '#benchmark/results.ts';
import { type Progress, runPlan } from '#benchmark/run-plan.ts';
import { z } from '#protocol/core/zod.ts';
import { storageSlot } from '../browser/persisted.ts';
import { useSettings } from '../stores/settings-store.ts';
import { pageLab } from './page-lab.ts';
import { firstPlan } from './plan/plan-edits.ts';
import { ratesFrom } from './plan/rates.ts';

/** The last plan that could be run; `checkPlan` is its schema. It holds no API key. */
const planSlot = storageSlot('voicewire.plan', z.unknown());

interface BenchmarkState {
  /** As edited; `problems` lists its faults. */
  plan: Plan;
  problems: readonly PlanProblem[];
  /** Ends the benchmark that runs; null while none does. */
  running: AbortController | null;
  progress: Progress | null;
  /** The shown results: of this run so far, or from a file. */
  results: Results | null;
  /** Results of another day to compare with. */
  earlier: Results | null;
  fileProblem: { title: string; detail: string } | null;
  /** Id of the shown measure; null is the plan's own. */
  measure: string | null;
  /** Index of the configuration that the others are compared with. */
  base: number;
}

export const useBenchmark = create<BenchmarkState>()(() => {
  const plan = checkPlan(planSlot.load()).plan ?? firstPlan(useSettings.getState());
  return {
    plan,
    problems: checkPlan(plan).problems,
    running: null,
    progress: null,
    results: null,
    earlier: null,
    fileProblem: null,
    measure: null,
    base: 0,
  };
});

/** Stores an edited plan. Only a plan without problems is kept for the next visit. */
export function editPlan(plan: Plan): void {
  const { problems } = checkPlan(plan);
  useBenchmark.setState({ plan, problems });
  if (problems.length === 0) planSlot.save(plan);
}

export async function openPlan(file: File): Promise<void> {
  const text = await file.text().catch((error: Error) => error);
  if (text instanceof Error) return showFileProblem(`${file.name} cannot be read`, text.message);
  const { plan, problems } = readPlan(text);
  if (plan) return takePlan(plan);
  showFileProblem(`${file.name} is no plan`, problems.map(describeProblem).join('\n'));
}

const showFileProblem = (title: string, problem: unknown): void =>
  useBenchmark.setState({
    fileProblem: { title, detail: problem instanceof Error ? problem.message : String(problem) },
  });

/** Puts a plan into the form. */
export function takePlan(plan: Plan): void {
  editPlan(plan);
  useBenchmark.setState({ fileProblem: null });
}

/** Opens results from a file: as the shown ones if there are none, else to compare with. */
export async function openResults(file: File): Promise<void> {
  try {
    const read = readResults(await file.text());
    const { results } = useBenchmark.getState();
    useBenchmark.setState(
      results ? { earlier: read, fileProblem: null } : { results: read, base: 0, fileProblem: null },
    );
  } catch (error) {
    showFileProblem(`${file.name} holds no results`, error);
  }
}

/** Must be called in the handler of a gesture, because every run opens a sound output. */
export async function startBenchmark(): Promise<void> {
  const { plan, results, earlier, problems, running } = useBenchmark.getState();
  if (running || problems.length > 0) return;
  const control = new AbortController();
  const known = [results, earlier].filter((each) => each !== null);
  useBenchmark.setState({ running: control, results: null, measure: null, base: 0 });
  addEventListener('beforeunload', askBeforeLeaving);
  const made = await runPlan(plan, pageLab(plan), {
    signal: control.signal,
    ratesOf: ratesFrom(known),
    onProgress: (progress) => useBenchmark.setState({ progress, results: progress.results }),
  });
  if (made.runs.length === 0) resultsAreSafe();
  useBenchmark.setState({ running: null, progress: null, results: made });
}

/** Results exist only on the page until they are saved. */
const askBeforeLeaving = (event: Event): void => event.preventDefault();

/** Call when the shown results are saved or discarded. */
export const resultsAreSafe = (): void => removeEventListener('beforeunload', askBeforeLeaving);

export function closeResults(): void {
  resultsAreSafe();
  useBenchmark.setState({ results: null, earlier: null });
}

/** Cancels the benchmark and keeps the runs made so far. */
export const cancelBenchmark = (): void =>
  useBenchmark.getState().running?.abort(new DOMException('Cancelled.', 'AbortError'));

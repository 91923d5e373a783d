import { create } from 'zustand';
import type { Plan } from '#benchmark/plan.ts';
import { checkPlan, type PlanProblem, readPlan } from '#benchmark/read-plan.ts';
import { type Results, readResults } from '#benchmark/results.ts';
import { type Progress, runPlan } from '#benchmark/run-plan.ts';
import { z } from '#protocol/core/zod.ts';
import { storageSlot } from '../browser/persisted.ts';
import { useSettings } from '../stores/settings-store.ts';
import { pageLab } from './page-lab.ts';
import { knowledgeFrom } from './plan/knowledge.ts';
import { firstPlan } from './plan/plan-edits.ts';

/** The last plan that could be run; `checkPlan` is its schema. It holds no API key. */
const planSlot = storageSlot('voicewire.plan', z.unknown());

interface BenchmarkState {
  /** As it is edited; it may be wrong, and `problems` says where. */
  plan: Plan;
  problems: readonly PlanProblem[];
  /** While the plan is edited as JSON: the text as it stands there, which may be no plan. */
  json: string | null;
  /** While a benchmark runs. */
  progress: Progress | null;
  /** Those in view: as far as they are, or of a file. */
  results: Results | null;
  /** Of another day, to compare with. */
  earlier: Results | null;
  /** What went wrong with a file. */
  fileProblem: { title: string; detail: string } | null;
  /** The measure in view; null: that of the plan. */
  measure: string | null;
  /** Place of the configuration that the others are compared with. */
  base: number;
}

export const useBenchmark = create<BenchmarkState>()(() => {
  const plan = checkPlan(planSlot.load()).plan ?? firstPlan(useSettings.getState());
  return {
    plan,
    problems: checkPlan(plan).problems,
    json: null,
    progress: null,
    results: null,
    earlier: null,
    fileProblem: null,
    measure: null,
    base: 0,
  };
});

const planText = (plan: Plan): string => JSON.stringify(plan, null, 2);

/** Takes a plan as it is edited in the form. The next visit finds the last one that could be run. */
export function editPlan(plan: Plan): void {
  const { problems } = checkPlan(plan);
  useBenchmark.setState({ plan, problems });
  if (problems.length === 0) planSlot.save(plan);
}

/** Takes what is typed as JSON; the plan follows as soon as it is one. */
export function editJson(json: string): void {
  const { plan, problems } = readPlan(json);
  useBenchmark.setState({ json, problems });
  if (!plan) return;
  useBenchmark.setState({ plan });
  planSlot.save(plan);
}

/** Form or JSON. Leaving the JSON for the form takes the last plan that it was. */
export function showJson(show: boolean): void {
  const { plan } = useBenchmark.getState();
  useBenchmark.setState({ json: show ? planText(plan) : null, problems: checkPlan(plan).problems });
}

/** A plan out of a file. */
export async function openPlan(file: File): Promise<void> {
  const text = await file.text().catch((error: Error) => error);
  if (text instanceof Error) {
    useBenchmark.setState({
      fileProblem: { title: `${file.name} cannot be read`, detail: text.message },
    });
    return;
  }
  const { plan, problems } = readPlan(text);
  if (!plan) {
    const detail = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    useBenchmark.setState({ fileProblem: { title: `${file.name} is no plan`, detail: detail.join('\n') } });
    return;
  }
  takePlan(plan);
}

/** Puts a plan in the editor, in whichever view it is. */
export function takePlan(plan: Plan): void {
  const { json } = useBenchmark.getState();
  editPlan(plan);
  useBenchmark.setState({ fileProblem: null, json: json === null ? null : planText(plan) });
}

/** Results out of a file: to look at where there are none, else to compare with. */
export async function openResults(file: File): Promise<void> {
  try {
    const read = readResults(await file.text());
    const { results } = useBenchmark.getState();
    useBenchmark.setState(
      results ? { earlier: read, fileProblem: null } : { results: read, base: 0, fileProblem: null },
    );
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    useBenchmark.setState({ fileProblem: { title: `${file.name} holds no results`, detail } });
  }
}

let running: AbortController | null = null;

/** In the handler of a gesture: every run opens a sound output. */
export async function startBenchmark(): Promise<void> {
  const { plan, results, earlier, problems } = useBenchmark.getState();
  if (running || problems.length > 0) return;
  const control = new AbortController();
  running = control;
  const known = [results, earlier].filter((each) => each !== null);
  useBenchmark.setState({ results: null, measure: null, base: 0 });
  addEventListener('beforeunload', askBeforeLeaving);
  const made = await runPlan(plan, pageLab(plan.aloud), {
    signal: control.signal,
    knowledge: knowledgeFrom(known),
    onProgress: (progress) => useBenchmark.setState({ progress, results: progress.results }),
  });
  running = null;
  if (made.runs.length === 0) resultsAreSafe();
  useBenchmark.setState({ progress: null, results: made });
}

/** What was measured is only on the page, until it is in a file. */
const askBeforeLeaving = (event: Event): void => event.preventDefault();

/** The results in view are in a file now, or nobody wants them. */
export const resultsAreSafe = (): void => removeEventListener('beforeunload', askBeforeLeaving);

export function closeResults(): void {
  resultsAreSafe();
  useBenchmark.setState({ results: null, earlier: null });
}

/** What was measured is kept. */
export const cancelBenchmark = (): void => running?.abort(new DOMException('Cancelled.', 'AbortError'));

import { seededRandom } from '#lib/statistics/random.ts';
import type { Rates } from '../estimate.ts';
import type { Plan } from '../plan.ts';
import { checkPlan } from '../read-plan.ts';
import { type BenchmarkRun, newResults, type Results } from '../results.ts';
import type { Lab, RunMade } from '../run-plan.ts';
import { scheduleRuns } from '../schedule.ts';

/** A plan of two configurations on the local server, changed as wanted. @throws Error where it is none */
export function testPlan(change: Record<string, unknown> = {}): Plan {
  const { plan, problems } = checkPlan({
    version: 1,
    texts: [{ name: 'Greeting', text: 'Good morning.' }],
    configurations: [
      { name: 'A', endpoint: 'kugel-stream', settings: { voice_id: 1071 } },
      { name: 'B', endpoint: 'kugel-stream', settings: { voice_id: 1072 } },
    ],
    runs: 10,
    warmUps: 0,
    ...change,
  });
  if (!plan) throw new Error(JSON.stringify(problems));
  return plan;
}

export const PRICED: Rates = {
  charactersPerSecond: 10,
  price: { centsPerSecond: 0.5, currency: 'eur', basis: 'published' },
  byPlan: false,
};

/** What the lab of a test was asked for, in order. */
export interface LabLog {
  runs: { configuration: string; text: string; connection: string }[];
  pausesMs: number[];
}

/** A lab in which every pause and every run passes at once, on a clock of its own. */
export function testLab(
  make: (configuration: string, text: string, signal: AbortSignal) => Promise<RunMade> | RunMade,
): Lab & { log: LabLog } {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  const log: LabLog = { runs: [], pausesMs: [] };
  return {
    log,
    environment: { browser: 'Test', cores: 2 },
    nowMs: () => nowMs,
    async run(configuration, text, connection, signal) {
      log.runs.push({ configuration: configuration.name, text, connection });
      nowMs += 1000;
      return await make(configuration.name, text, signal);
    },
    async pause(ms, signal) {
      signal.throwIfAborted();
      // The limit of a run never comes: it ends with the run.
      if (ms >= 1000) return await new Promise(() => {});
      log.pausesMs.push(ms);
      nowMs += ms;
    },
  };
}

export const goodRun = (waitMs: number, change: Partial<RunMade> = {}): RunMade => ({
  failure: null,
  measures: { waitMs },
  audioSeconds: 2,
  characters: 13,
  costCents: 0.2,
  currency: 'eur',
  ...change,
});

/** Results as the plan's schedule would give them, with waits drawn for each run; a string is a failure. */
export function resultsOf(
  plan: Plan,
  waitMs: (configuration: string, random: () => number) => number | string,
  seed = 1,
): Results {
  const random = seededRandom(seed);
  const startedAtMs = Date.UTC(2026, 10, 21, 12);
  const runs = scheduleRuns(plan).flatMap(({ round, text, configuration, connection }): BenchmarkRun[] => {
    if (round === null) return [];
    const drawn = waitMs(plan.configurations[configuration]?.name ?? '', random);
    const made =
      typeof drawn === 'number'
        ? goodRun(drawn)
        : goodRun(0, { failure: drawn, measures: {}, audioSeconds: 0, costCents: null });
    return [{ round, text, configuration, connection, startedAtMs, ...made }];
  });
  return {
    ...newResults(plan, startedAtMs, { browser: 'Test', cores: 2 }),
    endedAtMs: startedAtMs + 120_000,
    runs,
  };
}

const HOSTILE = '<img src=x onerror="alert(1)">';

/** Results whose names and failures are markup, and a formula of a spreadsheet. */
export const HOSTILE_RESULTS = resultsOf(
  testPlan({
    name: HOSTILE,
    texts: [{ name: HOSTILE, text: HOSTILE }],
    configurations: [
      { name: HOSTILE, endpoint: 'kugel-stream' },
      { name: '=SUM(A1:A9)', endpoint: 'kugel-stream' },
    ],
    runs: 6,
    connections: 'both',
    thresholds: [{ max: 100 }],
  }),
  (name, random) => (name.startsWith('=') && random() < 0.5 ? `Refused, ${HOSTILE}` : 100 + 10 * random()),
);

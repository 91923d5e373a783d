import { z } from '#protocol/core/zod.ts';
import { checked, parseJson } from '#recordings/files/json.ts';
import { ImportError } from '#recordings/format/import-error.ts';
import { planSchema } from './plan.ts';

/**
 * What a benchmark has measured, as it is kept in files: the plan, every run with all its figures, how it ended and
 * where it ran. It holds no key and no address that a plan would not hold.
 */

const RESULTS_VERSION = 1;
const MAX_RUNS = 30_000;
const MAX_REASON_CHARS = 2000;
const LIMITS = { depth: 12, values: 3_000_000 };

const runSchema = z.object({
  /** Counted from 0, as scheduled. */
  round: z.int().nonnegative(),
  /** Places in the plan. */
  text: z.int().nonnegative(),
  configuration: z.int().nonnegative(),
  connection: z.enum(['warm', 'cold']),
  /** Ms since 1970. */
  startedAtMs: z.number(),
  /** Why it failed; null: it did not. */
  failure: z.string().max(MAX_REASON_CHARS).nullable(),
  /** By measure id, in its unit; null or absent: unknown. Empty for a run that failed. */
  measures: z.record(z.string(), z.number().nullable()),
  audioSeconds: z.number().nonnegative(),
  characters: z.number().nonnegative(),
  /** As the server told it; null: it did not. */
  costCents: z.number().nonnegative().nullable(),
  currency: z.string().max(8).nullable(),
});

export const resultsSchema = z.object({
  kind: z.literal('voicewire-benchmark'),
  version: z.literal(RESULTS_VERSION),
  plan: planSchema,
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  ended: z.enum(['finished', 'budget', 'cancelled', 'failing']),
  /** Why it ended before its time; null where it did not. */
  endedWhy: z.string().max(MAX_REASON_CHARS).nullable(),
  environment: z.object({ browser: z.string().max(400), cores: z.int().nullable() }),
  /** In the order they were made; warm-ups are not among them. */
  runs: z.array(runSchema).max(MAX_RUNS),
});

export type BenchmarkRun = z.output<typeof runSchema>;
export type Results = z.output<typeof resultsSchema>;

/** An empty one to begin with. */
export const newResults = (
  plan: Results['plan'],
  startedAtMs: number,
  environment: Results['environment'],
): Results => ({
  kind: 'voicewire-benchmark',
  version: RESULTS_VERSION,
  plan,
  startedAtMs,
  endedAtMs: startedAtMs,
  ended: 'finished',
  endedWhy: null,
  environment,
  runs: [],
});

export const writeResults = (results: Results): string => `${JSON.stringify(results, null, 1)}\n`;

/**
 * Results of an earlier day.
 * @throws ImportError, with line and path
 */
export function readResults(text: string): Results {
  const results = checked(resultsSchema, parseJson(text, LIMITS), text);
  const { texts, configurations } = results.plan;
  const stray = results.runs.findIndex(
    (run) => run.text >= texts.length || run.configuration >= configurations.length,
  );
  if (stray >= 0) {
    throw new ImportError(
      { line: 1, column: null, path: `runs[${stray}]` },
      'a text and a configuration of the plan',
      'one that is not in it',
    );
  }
  return results;
}

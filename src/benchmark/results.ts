import { z } from '#protocol/core/zod.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { checked, parseJson } from '#trace/files/json.ts';
import { planSchema } from './plan.ts';

/** The schema of result files: plan, runs, ending and environment. They hold no key. */

const RESULTS_VERSION = 1;
const MAX_RUNS = 30_000;
const MAX_REASON_CHARS = 2000;
const LIMITS = { depth: 12, values: 3_000_000 };

const runSchema = z.object({
  /** Counted from 0. */
  round: z.int().check(z.nonnegative()),
  /** Indices in the plan. */
  text: z.int().check(z.nonnegative()),
  configuration: z.int().check(z.nonnegative()),
  connection: z.enum(['warm', 'cold']),
  /** Ms since 1970. */
  startedAtMs: z.number(),
  /** Null for a successful run. */
  failure: z.nullable(z.string().check(z.maxLength(MAX_REASON_CHARS))),
  /** By measure id, in its unit; null or absent is unknown. Empty for a failed run. */
  measures: z.record(z.string(), z.nullable(z.number())),
  audioSeconds: z.number().check(z.nonnegative()),
  characters: z.number().check(z.nonnegative()),
  /** As reported by the server; null if it reported none. */
  costCents: z.nullable(z.number().check(z.nonnegative())),
  currency: z.nullable(z.string().check(z.maxLength(8))),
});

const resultsSchema = z.object({
  kind: z.literal('voicewire-benchmark'),
  version: z.literal(RESULTS_VERSION),
  plan: planSchema,
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  ended: z.enum(['finished', 'budget', 'cancelled', 'failing']),
  endedWhy: z.nullable(z.string().check(z.maxLength(MAX_REASON_CHARS))),
  environment: z.object({ browser: z.string().check(z.maxLength(400)), cores: z.nullable(z.int()) }),
  /** In the order they were made, without warm-ups. */
  runs: z.array(runSchema).check(z.maxLength(MAX_RUNS)),
});

export type BenchmarkRun = z.output<typeof runSchema>;
export type Results = z.output<typeof resultsSchema>;

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

/** Parses a result file. @throws ImportError with line and path */
export function readResults(text: string): Results {
  const results = checked(resultsSchema, parseJson(text, LIMITS), text);
  const { texts, configurations } = results.plan;
  const stray = results.runs.findIndex(
    (run) => run.text >= texts.length || run.configuration >= configurations.length,
  );
  if (stray >= 0) {
    const place = { line: 1, column: null, path: `runs[${stray}]` };
    throw new ImportError(place, 'a text and a configuration of the plan', 'one that is not in it');
  }
  return results;
}

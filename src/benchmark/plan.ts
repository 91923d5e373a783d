import { z } from '#protocol/core/zod.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';

/** The schema of plan files. Plans are shared, so that they never hold a key, only the name of one. */

const PLAN_VERSION = 1;

export const MAX_TEXTS = 50;
export const MAX_CONFIGURATIONS = 12;
export const MAX_RUNS = 1000;
/** Bound for all cells together, which would take days and not fit on a page. */
export const MAX_RUNS_IN_ALL = 20_000;
const MAX_TEXT_CHARS = 10_000;
const MAX_NAME_CHARS = 80;
const MAX_SEED = 2 ** 31 - 1;

/** Matches names such as `VOICEWIRE_KEY_ONE`, and no key that was put here by mistake. */
const KEY_NAME = /^[A-Z][A-Z0-9_]{2,63}$/;

const name = z.string().trim().min(1).max(MAX_NAME_CHARS);
const seed = z.int().min(0).max(MAX_SEED);
const settings = z.record(z.string(), z.unknown());

const profile: z.ZodType<SimulationProfile> = z.strictObject({
  timeToFirstTokenMs: z.number().min(0).max(60_000),
  tokensPerSecond: z.number().min(0.5).max(1000),
  jitter: z.number().min(0).max(1),
  burst: z.strictObject({ every: z.int().min(0).max(1000), size: z.int().min(0).max(1000) }),
  stall: z.strictObject({ chance: z.number().min(0).max(1), ms: z.number().min(0).max(60_000) }),
});

const text = z.strictObject({
  name,
  text: z.string().min(1).max(MAX_TEXT_CHARS),
});

const configuration = z.strictObject({
  name,
  endpoint: z.string(),
  /** Id of one of the endpoint's servers (`local`, `cloud`), or a WebSocket address. */
  server: z.string().default('local'),
  /** Name of the environment variable, and of the page's field, with the key; null uses the server's key. */
  keyFrom: z
    .string()
    .regex(KEY_NAME, 'the name of an environment variable in capitals')
    .nullable()
    .default(null),
  settings: settings.default({}),
  /** Settings of the single context, on endpoints with contexts. */
  speaker: settings.default({}),
  source: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('whole') }),
      z.strictObject({
        kind: z.literal('simulated'),
        /** Id of a preset, or a whole profile. */
        profile: z.union([z.string(), profile]).default('steady'),
        seed: seed.default(7),
      }),
    ])
    .default({ kind: 'whole' }),
});

const threshold = z.strictObject({
  measure: z.string().default('waitMs'),
  percentile: z.literal([50, 90, 95, 99]).default(95),
  /** The limit is broken above it. */
  max: z.number().optional(),
  /** The limit is broken below it. */
  min: z.number().optional(),
  /** Every configuration by default. */
  configuration: name.optional(),
  connection: z.enum(['warm', 'cold']).optional(),
});

export const planSchema = z.strictObject({
  kind: z.literal('voicewire-plan').default('voicewire-plan'),
  version: z.literal(PLAN_VERSION),
  name: name.default('Benchmark'),
  texts: z.array(text).min(1).max(MAX_TEXTS),
  configurations: z.array(configuration).min(1).max(MAX_CONFIGURATIONS),
  /** Runs of each text, configuration and kind of connection. */
  runs: z.int().min(1).max(MAX_RUNS).default(20),
  /** Uncounted runs of each configuration before the first round; they are paid for. */
  warmUps: z.int().min(0).max(10).default(1),
  connections: z.enum(['warm', 'cold', 'both']).default('warm'),
  /** Determines the order of runs and the pauses. */
  seed: seed.default(1),
  /** Mean pause between runs; each lasts 0.5 to 1.5 times as long. */
  pauseMs: z.number().min(0).max(60_000).default(250),
  timeoutMs: z.number().min(1000).max(600_000).default(60_000),
  aloud: z.boolean().default(false),
  /** The benchmark stops before a run that would exceed one of them. */
  budget: z
    .strictObject({
      cents: z.number().positive().optional(),
      audioSeconds: z.number().positive().optional(),
      characters: z.int().positive().optional(),
    })
    .default({}),
  /** The measure that is shown first. */
  measure: z.string().default('waitMs'),
  thresholds: z.array(threshold).max(100).default([]),
});

export type Plan = z.output<typeof planSchema>;
export type PlanText = z.output<typeof text>;
export type PlanConfiguration = z.output<typeof configuration>;
export type Threshold = z.output<typeof threshold>;

/** `warm`: open before the run; `cold`: opened by it. */
export type RunConnection = 'warm' | 'cold';

export const connectionKinds = ({ connections }: Pick<Plan, 'connections'>): readonly RunConnection[] =>
  connections === 'both' ? ['warm', 'cold'] : [connections];

/** Number of runs that count. */
export const runsInAll = (plan: Plan): number =>
  plan.texts.length * plan.configurations.length * connectionKinds(plan).length * plan.runs;

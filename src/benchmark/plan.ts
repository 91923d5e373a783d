import { z } from '#protocol/core/zod.ts';
import type { SimulationProfile } from '#text/simulated-model.ts';

/**
 * A plan says what is measured, how often and against what limits. It is a file that people write, keep beside their
 * code and share: it never holds a key, only where one is to be found.
 */

const PLAN_VERSION = 1;

export const MAX_TEXTS = 50;
export const MAX_CONFIGURATIONS = 12;
export const MAX_RUNS = 1000;
/** Of all cells together; more would not fit a page, and would take days. */
export const MAX_RUNS_IN_ALL = 20_000;
const MAX_TEXT_CHARS = 10_000;
const MAX_NAME_CHARS = 80;
const MAX_SEED = 2 ** 31 - 1;

/** `VOICEWIRE_KEY_ONE`: the name of an environment variable, and no key by accident. */
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
  /** Name of the environment variable, and of the field on the page, that holds the key; null: the server's own. */
  keyFrom: z
    .string()
    .regex(KEY_NAME, 'the name of an environment variable in capitals')
    .nullable()
    .default(null),
  settings: settings.default({}),
  /** What the one context is opened with, on an endpoint that has contexts. */
  speaker: settings.default({}),
  source: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('whole') }),
      z.strictObject({
        kind: z.literal('simulated'),
        /** Name of a preset, or the whole profile. */
        profile: z.union([z.string(), profile]).default('steady'),
        seed: seed.default(7),
      }),
    ])
    .default({ kind: 'whole' }),
});

const threshold = z.strictObject({
  measure: z.string().default('waitMs'),
  percentile: z.literal([50, 90, 95, 99]).default(95),
  /** Fails above it, where a lower value is better; */
  max: z.number().optional(),
  /** below it, where a higher one is. */
  min: z.number().optional(),
  /** Absent: every configuration. */
  configuration: name.optional(),
  connection: z.enum(['warm', 'cold']).optional(),
});

export const planSchema = z.strictObject({
  kind: z.literal('voicewire-plan').default('voicewire-plan'),
  version: z.literal(PLAN_VERSION),
  name: name.default('Benchmark'),
  texts: z.array(text).min(1).max(MAX_TEXTS),
  configurations: z.array(configuration).min(1).max(MAX_CONFIGURATIONS),
  /** Of each text under each configuration, on each kind of connection. */
  runs: z.int().min(1).max(MAX_RUNS).default(20),
  /** Before the first that counts, of each configuration; they are run, paid for and thrown away. */
  warmUps: z.int().min(0).max(10).default(1),
  connections: z.enum(['warm', 'cold', 'both']).default('warm'),
  /** Of the order of runs and the length of pauses. */
  seed: seed.default(1),
  /** Between runs; each takes anything from half to one and a half times as long. */
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
  /** The one to be judged by; all of them are measured. */
  measure: z.string().default('waitMs'),
  thresholds: z.array(threshold).max(100).default([]),
});

export type Plan = z.output<typeof planSchema>;
export type PlanText = z.output<typeof text>;
export type PlanConfiguration = z.output<typeof configuration>;
export type Threshold = z.output<typeof threshold>;

/** A connection that is open before the run begins, or one that is opened by it. */
export type ConnectionKind = 'warm' | 'cold';

export const connectionKinds = ({ connections }: Pick<Plan, 'connections'>): readonly ConnectionKind[] =>
  connections === 'both' ? ['warm', 'cold'] : [connections];

/** Runs that count. */
export const runsInAll = (plan: Plan): number =>
  plan.texts.length * plan.configurations.length * connectionKinds(plan).length * plan.runs;

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

const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_NAME_CHARS));
const seed = z.int().check(z.gte(0), z.lte(MAX_SEED));
const settings = z.record(z.string(), z.unknown());

const profile: z.ZodMiniType<SimulationProfile> = z.strictObject({
  timeToFirstTokenMs: z.number().check(z.gte(0), z.lte(60_000)),
  tokensPerSecond: z.number().check(z.gte(0.5), z.lte(1000)),
  jitter: z.number().check(z.gte(0), z.lte(1)),
  burst: z.strictObject({
    every: z.int().check(z.gte(0), z.lte(1000)),
    size: z.int().check(z.gte(0), z.lte(1000)),
  }),
  stall: z.strictObject({
    chance: z.number().check(z.gte(0), z.lte(1)),
    ms: z.number().check(z.gte(0), z.lte(60_000)),
  }),
});

const text = z.strictObject({
  name,
  text: z.string().check(z.minLength(1), z.maxLength(MAX_TEXT_CHARS)),
});

const keyFrom = z._default(
  z.nullable(z.string().check(z.regex(KEY_NAME, 'the name of an environment variable in capitals'))),
  null,
);

const configuration = z.strictObject({
  name,
  endpoint: z.string(),
  /** Id of one of the endpoint's servers (`local`, `cloud`), or a WebSocket address. */
  server: z._default(z.string(), 'local'),
  /** Name of the environment variable, and of the page's field, with the key; null uses the server's key. */
  keyFrom,
  settings: z._default(settings, {}),
  /** Settings of the single context, on endpoints with contexts. */
  speaker: z._default(settings, {}),
  source: z._default(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('whole') }),
      z.strictObject({
        kind: z.literal('simulated'),
        /** Id of a preset, or a whole profile. */
        profile: z._default(z.union([z.string(), profile]), 'steady'),
        seed: z._default(seed, 7),
      }),
    ]),
    { kind: 'whole' },
  ),
});

const threshold = z.strictObject({
  measure: z._default(z.string(), 'waitMs'),
  percentile: z._default(z.literal([50, 90, 95, 99]), 95),
  /** The limit is broken above it. */
  max: z.optional(z.number()),
  /** The limit is broken below it. */
  min: z.optional(z.number()),
  /** Every configuration by default. */
  configuration: z.optional(name),
  connection: z.optional(z.enum(['warm', 'cold'])),
});

export const planSchema = z.strictObject({
  kind: z._default(z.literal('voicewire-plan'), 'voicewire-plan'),
  version: z.literal(PLAN_VERSION),
  name: z._default(name, 'Benchmark'),
  texts: z.array(text).check(z.minLength(1), z.maxLength(MAX_TEXTS)),
  configurations: z.array(configuration).check(z.minLength(1), z.maxLength(MAX_CONFIGURATIONS)),
  /** Runs of each text, configuration and kind of connection. */
  runs: z._default(z.int().check(z.gte(1), z.lte(MAX_RUNS)), 20),
  /** Uncounted runs of each configuration before the first round; they are paid for. */
  warmUps: z._default(z.int().check(z.gte(0), z.lte(10)), 1),
  connections: z._default(z.enum(['warm', 'cold', 'both']), 'warm'),
  /** Determines the order of runs and the pauses. */
  seed: z._default(seed, 1),
  /** Mean pause between runs; each lasts 0.5 to 1.5 times as long. */
  pauseMs: z._default(z.number().check(z.gte(0), z.lte(60_000)), 250),
  timeoutMs: z._default(z.number().check(z.gte(1000), z.lte(600_000)), 60_000),
  aloud: z._default(z.boolean(), false),
  /** The server of OpenAI's API that hears the runs, for the word error rate; absent: nothing is checked. */
  transcription: z.optional(
    z.strictObject({
      base: z
        .string()
        .check(z.regex(/^https?:\/\/[^\s?#@]+$/, 'an address such as "http://localhost:8000/v1"')),
      model: name,
      /** ISO 639-1; empty where the server finds out. */
      language: z._default(z.string(), ''),
      keyFrom,
    }),
  ),
  /** The benchmark stops before a run that would exceed one of them. */
  budget: z._default(
    z.strictObject({
      cents: z.optional(z.number().check(z.positive())),
      audioSeconds: z.optional(z.number().check(z.positive())),
      characters: z.optional(z.int().check(z.positive())),
    }),
    {},
  ),
  /** The measure that is shown first. */
  measure: z._default(z.string(), 'waitMs'),
  thresholds: z._default(z.array(threshold).check(z.maxLength(100)), []),
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

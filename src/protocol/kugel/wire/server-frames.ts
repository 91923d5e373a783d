import { z } from '../../core/zod.ts';

/**
 * What the server sends (`facts 1.5`, `1.6`, `1.8`, `2.2`, `3.2`). There is no type field: the marker key tells the kind.
 * Objects are loose, because a later version may add fields, and those are passed on as unknown.
 */

const inContext = { context_id: z.string().optional() };
const yes = z.literal(true);
const count = z.number().nonnegative();

export const generationStartedFrame = z.looseObject({
  generation_started: yes,
  chunk_id: z.int().nonnegative(),
  text: z.string(),
  ...inContext,
});

export const audioFrame = z.looseObject({
  audio: z.string(),
  enc: z.enum(['pcm_s16le', 'mulaw', 'alaw']).default('pcm_s16le'),
  idx: z.int().nonnegative(),
  sr: z.int().min(3000).max(192_000),
  samples: z.int().nonnegative(),
  chunk_id: z.int().nonnegative().default(0),
  ...inContext,
});

const wordInMs = z.object({
  word: z.string(),
  start_ms: count,
  end_ms: count,
  char_start: z.int().nonnegative(),
  char_end: z.int().nonnegative(),
  score: z.number().optional(),
});

/** The older shape of a public transcription: seconds and a confidence (`anchors A.4`). */
const wordInSeconds = z.object({
  word: z.string(),
  start: count,
  end: count,
  confidence: z.number().optional(),
});

export const wordTimestampsFrame = z.looseObject({
  word_timestamps: z.array(z.union([wordInMs, wordInSeconds])),
  chunk_id: z.int().nonnegative().default(0),
  ...inContext,
});

export const chunkCompleteFrame = z.looseObject({
  chunk_complete: yes,
  chunk_id: z.int().nonnegative(),
  audio_seconds: count,
  gen_ms: count,
  ...inContext,
});

const totals = {
  total_audio_seconds: count.optional(),
  total_text_chunks: z.int().nonnegative().optional(),
  total_audio_chunks: z.int().nonnegative().optional(),
};

/** Null and absent are taken alike: a turn must not hang because a figure of its bill is missing. */
export const usageObject = z.looseObject({
  audio_seconds: count.nullish(),
  characters: z.int().nonnegative().nullish(),
  cost_cents: count.nullish(),
  currency: z.string().nullish(),
  cost_unavailable: z.boolean().nullish(),
  model_id: z.string().nullish(),
});

export const finalFrame = z.looseObject({ final: yes, ...totals, ...inContext });

export const sessionClosedFrame = z.looseObject({
  session_closed: yes,
  ...totals,
  usage: usageObject.nullish(),
});

/** The context that is meant, where there is no frame without one. */
const ofContext = { context_id: z.string() };

export const contextCreatedFrame = z.looseObject({ context_created: yes, ...ofContext });

export const contextClosedFrame = z.looseObject({
  context_closed: yes,
  usage: usageObject.nullish(),
  ...ofContext,
});

export const contextTimeoutFrame = z.looseObject({ context_timeout: yes, ...ofContext });

export const interruptedFrame = z.looseObject({ interrupted: yes, ...inContext });

export const warningFrame = z.looseObject({ warning: z.string(), ...inContext });

export const settingsUpdatedFrame = z.looseObject({
  settings_updated: yes,
  settings: z.record(z.string(), z.unknown()),
});

export const errorFrame = z.looseObject({
  error: z.string(),
  error_code: z.string().nullish(),
  code: z.number().nullish(),
  request_id: z.string().nullish(),
  ...inContext,
});

/** Without the index signature that loose objects carry, so that a server is held to the named fields. */
type Named<S extends z.ZodType> = {
  [K in keyof z.input<S> as string extends K ? never : K]: z.input<S>[K];
};

export type GenerationStartedFrame = Named<typeof generationStartedFrame>;
export type AudioFrame = Named<typeof audioFrame>;
export type WordTimestampsFrame = Named<typeof wordTimestampsFrame>;
export type ChunkCompleteFrame = Named<typeof chunkCompleteFrame>;
export type FinalFrame = Named<typeof finalFrame>;
export type UsageObject = Named<typeof usageObject>;
export type SessionClosedFrame = Omit<Named<typeof sessionClosedFrame>, 'usage'> & { usage: UsageObject };
export type ContextCreatedFrame = Named<typeof contextCreatedFrame>;
export type ContextClosedFrame = Named<typeof contextClosedFrame>;
export type InterruptedFrame = Named<typeof interruptedFrame>;
export type WarningFrame = Named<typeof warningFrame>;
export type SettingsUpdatedFrame = Named<typeof settingsUpdatedFrame>;
export type ErrorFrame = Named<typeof errorFrame>;

/** Any frame that the server of `/ws/tts/stream` may send. */
export type StreamServerFrame =
  | GenerationStartedFrame
  | AudioFrame
  | WordTimestampsFrame
  | ChunkCompleteFrame
  | FinalFrame
  | SessionClosedFrame
  | InterruptedFrame
  | WarningFrame
  | SettingsUpdatedFrame
  | ErrorFrame;

/** Any frame that the server of `/ws/tts/multi` may send. Those of a context carry its id. */
export type MultiServerFrame =
  | InContext<GenerationStartedFrame>
  | InContext<AudioFrame>
  | InContext<WordTimestampsFrame>
  | InContext<ChunkCompleteFrame>
  | InContext<{ final: true }>
  | ContextCreatedFrame
  | ContextClosedFrame
  | { session_closed: true; total_audio_seconds: number }
  | InterruptedFrame
  | SettingsUpdatedFrame
  | ErrorFrame;

type InContext<F> = F & { context_id: string };

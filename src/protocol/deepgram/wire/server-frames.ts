import { z } from '../../core/zod.ts';

/** Text messages of the server, by `type`. Audio is binary, and nothing names its turn (`facts-deepgram 3.2`, 5.2). */

const count = z.int().check(z.nonnegative());
const text = z.optional(z.string());

const warning = z.looseObject({
  type: z.literal('Warning'),
  code: text,
  description: text,
  // So seen on `/v1/speak` (`facts-deepgram 3.2.5`).
  warn_code: text,
  warn_msg: text,
});
/** Of any body, because no description has it (`facts-deepgram 3.2`). */
const error = z.looseObject({
  type: z.string(),
  code: z.optional(z.union([z.string(), z.number()])),
  description: text,
  err_code: text,
  err_msg: text,
  message: text,
});

export const SPEAK_FRAMES = {
  Metadata: z.looseObject({
    type: z.literal('Metadata'),
    request_id: z.string(),
    model_name: z.string(),
    model_version: z.string(),
    model_uuid: z.string(),
    additional_model_uuids: z.optional(z.array(z.string())),
  }),
  /** After the last audio of a flushed text. */
  Flushed: z.looseObject({ type: z.literal('Flushed'), sequence_id: count }),
  Cleared: z.looseObject({ type: z.literal('Cleared'), sequence_id: count }),
  Warning: warning,
  // In no description; LiveKit reads both (`facts-deepgram 3.2`).
  Error: error,
  error,
} as const;

export const NO_CONTROLS = {
  pronunciations_applied: 0,
  breaks_applied: 0,
  pronunciation_warnings: 0,
} as const;

/** The figures of a turn. */
const figures = {
  speech_id: z.string(),
  audio_duration_ms: count,
  input_character_count: count,
  billable_character_count: count,
  controls_applied: z.looseObject({
    pronunciations_applied: count,
    breaks_applied: z.optional(count),
    pronunciation_warnings: count,
  }),
};

export const FLUX_FRAMES = {
  Connected: z.looseObject({
    type: z.literal('Connected'),
    request_id: z.string(),
    model_name: z.string(),
    model_version: z.string(),
    model_uuids: z.array(z.string()),
  }),
  SpeechStarted: z.looseObject({ type: z.literal('SpeechStarted'), speech_id: z.string() }),
  /** Not the end of a turn, wherever it comes (`facts-deepgram 5.2.9`). */
  Flushed: z.looseObject({ type: z.literal('Flushed'), speech_id: z.string() }),
  /** Ends a turn. */
  SpeechMetadata: z.looseObject({ type: z.literal('SpeechMetadata'), ...figures }),
  /** Ends a turn in place of its metadata. */
  SpeechInterrupted: z.looseObject({
    type: z.literal('SpeechInterrupted'),
    /** Since the session began. */
    audio_played_ms: count,
    text_spoken: text,
    text_remaining: text,
    metadata: z.looseObject(figures),
  }),
  ConfigureSuccess: z.looseObject({
    type: z.literal('ConfigureSuccess'),
    applied: z.looseObject({ speed: z.optional(z.number()) }),
  }),
  ConfigureFailure: z.looseObject({
    type: z.literal('ConfigureFailure'),
    code: z.string(),
    field: text,
    value: z.optional(z.number()),
    description: z.string(),
  }),
  SessionMetadata: z.looseObject({
    type: z.literal('SessionMetadata'),
    total_audio_duration_ms: count,
    total_input_character_count: count,
    total_billable_character_count: count,
  }),
  Warning: warning,
  Error: error,
} as const;

export type WarningFrame = z.output<typeof warning>;
export type ErrorFrame = z.output<typeof error>;

type Frames = typeof SPEAK_FRAMES | typeof FLUX_FRAMES;
/** Without the index signature of loose objects, so that a server sends named fields only. */
type Named<S extends z.ZodMiniType> = {
  [K in keyof z.input<S> as string extends K ? never : K]: z.input<S>[K];
};
type SentOf<F extends Frames> = { [T in keyof F]: F[T] extends z.ZodMiniType ? Named<F[T]> : never }[keyof F];

/** Any text message that the local server sends. */
export type SentSpeakFrame = SentOf<typeof SPEAK_FRAMES>;
export type SentFluxFrame = SentOf<typeof FLUX_FRAMES>;

/** The figures of a turn that the server has spoken so far. */
export type SpeechFigures = Named<typeof FLUX_FRAMES.SpeechInterrupted.shape.metadata>;

/** Code and words of a warning, in either spelling (`facts-deepgram 10.1`). */
export const readWarning = (frame: WarningFrame): { code: string | null; words: string } => ({
  code: frame.warn_code ?? frame.code ?? null,
  words: frame.warn_msg ?? frame.description ?? '',
});

/** In both spellings (ours, `facts-deepgram 14` D1). */
export const speakWarning = (code: string, words: string) => ({
  type: 'Warning' as const,
  code,
  description: words,
  warn_code: code,
  warn_msg: words,
});

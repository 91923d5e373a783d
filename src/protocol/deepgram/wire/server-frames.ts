import { EXAMPLE_AUDIO, exampleBytes, exampleFrames, sentFrames } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { type Named, type SentTyped, typedFrames } from '../../core/json-frame.ts';
import { z } from '../../core/zod.ts';

/** Text messages of the server, by `type`. Audio is binary, and nothing names its turn. */

const count = z.int().check(z.nonnegative());
const text = z.optional(z.string());

/** `/v1/speak` has the second spelling (deepgram-message-26). */
const warning = { code: text, description: text, warn_code: text, warn_msg: text };
/** Of any body, because no description has it. */
const error = {
  code: z.optional(z.union([z.string(), z.number()])),
  description: text,
  err_code: text,
  err_msg: text,
  message: text,
};
const model = { request_id: z.string(), model_name: z.string(), model_version: z.string() };

export const SPEAK_FRAMES = typedFrames({
  Metadata: {
    ...model,
    model_uuid: z.string(),
    additional_model_uuids: z.optional(z.array(z.string())),
  },
  /** After the last audio of a flushed text. */
  Flushed: { sequence_id: count },
  Cleared: { sequence_id: count },
  Warning: warning,
  // In no description; LiveKit reads both (deepgram-message-22).
  Error: error,
  error,
});

const ofSpeech = { speech_id: z.string() };
/** The figures of a turn. */
const figures = {
  ...ofSpeech,
  audio_duration_ms: count,
  input_character_count: count,
  billable_character_count: count,
  controls_applied: z.looseObject({
    pronunciations_applied: count,
    breaks_applied: z.optional(count),
    pronunciation_warnings: count,
  }),
};

export const FLUX_FRAMES = typedFrames({
  Connected: { ...model, model_uuids: z.array(z.string()) },
  SpeechStarted: ofSpeech,
  /** Never ends a turn. */
  Flushed: ofSpeech,
  /** Ends a turn. */
  SpeechMetadata: figures,
  /** Ends a turn in place of its metadata. */
  SpeechInterrupted: {
    /** Since the session began. */
    audio_played_ms: count,
    text_spoken: text,
    text_remaining: text,
    metadata: z.looseObject(figures),
  },
  ConfigureSuccess: { applied: z.looseObject({ speed: z.optional(z.number()) }) },
  ConfigureFailure: {
    code: z.string(),
    field: text,
    value: z.optional(z.number()),
    description: z.string(),
  },
  SessionMetadata: {
    total_audio_duration_ms: count,
    total_input_character_count: count,
    total_billable_character_count: count,
  },
  Warning: warning,
  Error: error,
});

export type WarningFrame = z.output<typeof SPEAK_FRAMES.Warning>;
/** The fields of an error. */
export type ErrorFields = Omit<Named<typeof SPEAK_FRAMES.Error>, 'type'>;

/** Any text message that the local server sends. */
export type SentSpeakFrame = SentTyped<typeof SPEAK_FRAMES>;
export type SentFluxFrame = SentTyped<typeof FLUX_FRAMES>;

/** The figures of a turn that the server has spoken so far. */
export type SpeechFigures = Named<typeof FLUX_FRAMES.SpeechInterrupted.shape.metadata>;

/** The figures of a turn in which nothing was pronounced as asked. @param billed characters, without markup */
export const speechFigures = (
  speech_id: string,
  audio_duration_ms: number,
  characters: number,
  billed = characters,
): SpeechFigures => ({
  speech_id,
  audio_duration_ms,
  input_character_count: characters,
  billable_character_count: billed,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});

/** Code and words of a warning, in either spelling. */
export const readWarning = (frame: WarningFrame): { code: string | null; words: string } => ({
  code: frame.warn_code ?? frame.code ?? null,
  words: frame.warn_msg ?? frame.description ?? '',
});

/** A warning in both spellings, so that clients of either can read it (deepgram-message-27). */
export const speakWarning = (code: string, words: string) => ({
  type: 'Warning' as const,
  code,
  description: words,
  warn_code: code,
  warn_msg: words,
});

const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000';
const EXAMPLE_MODEL = { request_id: EXAMPLE_ID, model_name: 'example', model_version: '1' };

export function speakExample(): Frame[] {
  const metadata: SentSpeakFrame = { type: 'Metadata', ...EXAMPLE_MODEL, model_uuid: EXAMPLE_ID };
  const flushed: SentSpeakFrame = { type: 'Flushed', sequence_id: 0 };
  return sentFrames([metadata, ...exampleFrames(exampleBytes), flushed]);
}

export function fluxExample(turnText: string): Frame[] {
  const speech_id = 'dg_sp_000000000000';
  const before: SentFluxFrame[] = [
    { type: 'Connected', ...EXAMPLE_MODEL, model_uuids: [EXAMPLE_ID] },
    { type: 'SpeechStarted', speech_id },
  ];
  const behind: SentFluxFrame[] = [
    { type: 'Flushed', speech_id },
    { type: 'SpeechMetadata', ...speechFigures(speech_id, EXAMPLE_AUDIO.durationMs, turnText.length) },
  ];
  return sentFrames([...before, ...exampleFrames(exampleBytes), ...behind]);
}

import { wordList } from '#lib/word-list.ts';
import { EXAMPLE_AUDIO, exampleFrames, sentFrames } from '../../core/example-audio.ts';
import type { Frame } from '../../core/frame.ts';
import { z } from '../../core/zod.ts';

/** Frames of the server. They have no type: the fields that are there say what they are. */

/** Characters with their times in ms, from the start of their segment's audio. All three lists have one length. */
export interface Alignment {
  chars: readonly string[];
  charStartTimesMs: readonly number[];
  charDurationsMs: readonly number[];
}

/** A frame of speech as the local server sends it, with its fields in the order of the recordings. */
export interface SentSpeech {
  audio: string | null;
  isFinal: true | null;
  normalizedAlignment: Alignment | null;
  alignment: Alignment | null;
  contextId?: string;
}

export const finalFrame = (contextId: string | null): SentSpeech => ({
  audio: null,
  isFinal: true,
  normalizedAlignment: null,
  alignment: null,
  ...(contextId === null ? {} : { contextId }),
});

const context = { contextId: z.nullish(z.string()), context_id: z.nullish(z.string()) };

/** Alignments are read apart, so that a bad one costs no audio. */
export const SPEECH_FRAME = z.looseObject({
  audio: z.nullish(z.string()),
  isFinal: z.nullish(z.boolean()),
  is_final: z.nullish(z.boolean()),
  normalizedAlignment: z.optional(z.unknown()),
  alignment: z.optional(z.unknown()),
  ...context,
});

export const ERROR_FRAME = z.looseObject({
  message: z.string(),
  error: z.nullish(z.string()),
  code: z.nullish(z.number()),
  ...context,
});

/** One of these fields makes a frame one of speech, or of an error. */
export const SPEECH_FIELDS = wordList('audio isFinal is_final');
export const ERROR_FIELDS = wordList('message error');

/** The id of its context; null for the default one. */
export const contextIn = (frame: {
  contextId?: string | null | undefined;
  context_id?: string | null | undefined;
}): string | null => frame.contextId ?? frame.context_id ?? null;

const ms = z.array(z.number().check(z.nonnegative()));

/** Also in the spellings of older documentation. */
const spelt = z.looseObject({
  chars: z.array(z.string()),
  charStartTimesMs: z.optional(ms),
  charsStartTimesMs: z.optional(ms),
  charDurationsMs: z.optional(ms),
  charsDurationsMs: z.optional(ms),
});

/** A frame of speech with its alignments. */
export const ALIGNED_FRAME = z.extend(SPEECH_FRAME, {
  normalizedAlignment: z.nullish(spelt),
  alignment: z.nullish(spelt),
});

const alignment = z.pipe(
  spelt,
  z.transform(
    (read): Alignment => ({
      chars: read.chars,
      charStartTimesMs: read.charStartTimesMs ?? read.charsStartTimesMs ?? [],
      charDurationsMs: read.charDurationsMs ?? read.charsDurationsMs ?? [],
    }),
  ),
);

/** Reads an alignment; null for an absent or empty one. */
export function readAlignment(value: unknown): { read: Alignment | null } | { problem: string } {
  if (value === null || value === undefined) return { read: null };
  const parsed = alignment.safeParse(value);
  if (!parsed.success) return { problem: 'expected characters with starts and durations in ms' };
  const { chars, charStartTimesMs: starts, charDurationsMs: durations } = parsed.data;
  if (starts.length !== chars.length || durations.length !== chars.length) {
    const found = `${starts.length} starts and ${durations.length} durations`;
    return {
      problem: `expected a start and a duration for each of ${chars.length} characters, got ${found}`,
    };
  }
  return { read: chars.length === 0 ? null : parsed.data };
}

/** @param contextId null for `stream-input`, whose frames name none */
export function elevenLabsExample(text: string, contextId: string | null): Frame[] {
  const chars = [...text];
  const charMs = Math.floor(EXAMPLE_AUDIO.durationMs / chars.length);
  const aligned: Alignment = {
    chars,
    charStartTimesMs: chars.map((_, at) => at * charMs),
    charDurationsMs: chars.map(() => charMs),
  };
  const audio = exampleFrames((at): SentSpeech => {
    const words = at === 0 ? aligned : null;
    return {
      audio: EXAMPLE_AUDIO.base64,
      isFinal: null,
      normalizedAlignment: words,
      alignment: words,
      ...(contextId === null ? {} : { contextId }),
    };
  });
  return sentFrames([...audio, finalFrame(contextId)]);
}

import { z } from './core/zod.ts';

/**
 * A page of this server posts a text as {@link referenceRequestSchema}, and gets its speech by espeak with exact word times as
 * {@link referenceSchema}, by which it finds the words in the sound of another voice.
 */
export const REFERENCE_PATH = '/voicewire/reference';

/** Characters of one text, some 40 s of speech. */
export const MAX_REFERENCE_CHARS = 600;

export const referenceRequestSchema = z.object({
  text: z.string().check(z.maxLength(MAX_REFERENCE_CHARS)),
  /** Null, or one that espeak does not have, for that of the text. */
  language: z.nullable(z.string()),
});
export type ReferenceRequest = z.output<typeof referenceRequestSchema>;

export const referenceSchema = z.object({
  /** With its version. */
  engine: z.string(),
  /** 16-bit samples at `ANALYSED_HZ`, little-endian, in base64. */
  samples: z.string(),
  /** Offsets are UTF-16, times are ms from the start. */
  words: z.array(z.object({ startMs: z.number(), endMs: z.number(), charStart: z.int(), charEnd: z.int() })),
});
export type ReferenceAnswer = z.output<typeof referenceSchema>;

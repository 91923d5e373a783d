import { z } from '#protocol/core/zod.ts';
import { LANGUAGES, type Language } from '../languages.ts';
import catalogue from './voices.json' with { type: 'json' };

/** espeak's settings for a voice. */
export interface EspeakVoice {
  /** Name of the espeak variant, which decides the timbre. */
  readonly variant: string;
  /** 0 to 99. */
  readonly pitch: number;
  /** At speed 1. */
  readonly wordsPerMinute: number;
  /** Normalises loudness, because variants differ by 13 dB. Measured on the voice's sample text. */
  readonly gainDb: number;
  /** espeak's language names where the voice deviates from the usual ones. */
  readonly accents: Partial<Record<Language, string>>;
}

/** The part of a voice that the engine needs. */
export interface EngineVoice {
  /** A request without a language is spoken in the first one. */
  readonly languages: readonly [Language, ...Language[]];
  readonly espeak: EspeakVoice;
}

const language = z.literal([...LANGUAGES]);

const voice = z.object({
  id: z.int(),
  handle: z.string(),
  name: z.string(),
  sex: z.literal(['male', 'female', 'neutral']),
  age: z.literal(['young', 'middle_aged', 'old']),
  /** The voice speaks any language of `LANGUAGES`; these are the ones it was chosen for. */
  languages: z.tuple([language], language),
  /** In the first language of the voice, as is the sample text. */
  description: z.string(),
  sampleText: z.string(),
  espeak: z.object({
    variant: z.string(),
    pitch: z.number().min(0).max(99),
    wordsPerMinute: z.number(),
    gainDb: z.number(),
    accents: z.partialRecord(language, z.string()),
  }),
});

/** A voice of the catalogue. */
export type Voice = Readonly<z.infer<typeof voice>> & EngineVoice;

/** The catalogue, from `voices.json`. */
export const VOICES: readonly Voice[] = z.array(voice).parse(catalogue);

const byId = new Map(VOICES.map((voice) => [voice.id, voice]));
const byHandle = new Map(VOICES.map((voice) => [voice.handle, voice]));

/** A voice by number, by handle, or by its number as text; undefined if there is none. */
export function findVoice(idOrHandle: number | string): Voice | undefined {
  if (typeof idOrHandle === 'number') return byId.get(idOrHandle);
  const named = byHandle.get(idOrHandle);
  if (named !== undefined) return named;
  return /^\d{1,9}$/.test(idOrHandle) ? byId.get(Number(idOrHandle)) : undefined;
}

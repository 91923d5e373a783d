import { z } from '#protocol/core/zod.ts';
import { type Language, SPOKEN_LANGUAGES } from '../languages.ts';
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
  /** Absent for a voice outside of the catalogue. */
  readonly handle?: string;
  /** By this an engine with voices of its own chooses one. */
  readonly sex?: 'male' | 'female' | 'neutral' | null;
}

const language = z.literal([...SPOKEN_LANGUAGES]);

const voice = z.object({
  id: z.int(),
  handle: z.string(),
  name: z.string(),
  sex: z.literal(['male', 'female', 'neutral']),
  age: z.literal(['young', 'middle_aged', 'old']),
  /** The voice speaks any language of `SPOKEN_LANGUAGES`; these are the ones it was chosen for. */
  languages: z.tuple([language], language),
  /** In the first language of the voice, as is the sample text. */
  description: z.string(),
  sampleText: z.string(),
  espeak: z.object({
    variant: z.string(),
    pitch: z.number().check(z.gte(0), z.lte(99)),
    wordsPerMinute: z.number(),
    gainDb: z.number(),
    accents: z.partialRecord(language, z.string()),
  }),
});

/** A voice of the catalogue. */
export type Voice = Readonly<z.infer<typeof voice>> & EngineVoice;

const catalogued = z.tuple([voice], voice);

/** The catalogue, from `voices.json`. */
export const VOICES: readonly [Voice, ...Voice[]] = catalogued.parse(catalogue);

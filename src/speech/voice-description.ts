import type { SpeechRequest } from './engine.ts';
import { isLanguage, type Language } from './languages.ts';

/** The part of a `SpeechRequest` that a description decides: spread it into one. */
export type DescribedVoice = Pick<SpeechRequest, 'voice' | 'speed' | 'variation'> & {
  readonly language: Language;
};

/**
 * The voice that a description in English words asks for. The same words always give the same voice; what they
 * leave open is chosen by a hash of them.
 * @param description any text; what is not understood is ignored
 * @param language ISO 639-1 code of the text to be spoken; English for one that is not spoken here
 */
export function describedVoice(description: string, language: string): DescribedVoice {
  const spoken = isLanguage(language) ? language : 'en';
  const female = /\b(woman|female|girl)\b/i.test(description);
  return {
    voice: {
      languages: [spoken],
      espeak: { variant: female ? 'f2' : 'm3', pitch: 50, wordsPerMinute: 170, gainDb: 0, accents: {} },
    },
    speed: 1,
    variation: 0.4,
    language: spoken,
  };
}

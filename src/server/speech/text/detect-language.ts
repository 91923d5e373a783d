import { eld } from 'eld/extrasmall';
import type { SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import { languageByScript } from './script-readers.ts';

/** Limit of the text that is examined. */
const ENOUGH_CHARACTERS = 1000;
/** Shorter texts are easily taken for another language of the same script. */
const ENOUGH_FOR_WORDS = 25;

/**
 * The language of a text among all that are spoken here: its script decides, or the words where several languages share it.
 * Null if it cannot be detected: too short, no words, or another language.
 */
export function detectLanguage(text: string): Language | null {
  const beginning = text.slice(0, ENOUGH_CHARACTERS).normalize('NFKC');
  const byScript = languageByScript(beginning);
  if (byScript !== undefined) return isLanguage(byScript) ? byScript : null;
  if (text.length < ENOUGH_FOR_WORDS) return null;
  const guess = eld.detect(beginning);
  return guess.isReliable() && isLanguage(guess.language) ? guess.language : null;
}

/** The language of a request: the given one, that of its text, or the first of its voice. */
export const spokenLanguageOf = ({
  language,
  text,
  voice,
}: Pick<SpeechRequest, 'language' | 'text' | 'voice'>): string =>
  language ?? detectLanguage(text) ?? voice.languages[0];

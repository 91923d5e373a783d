import { eld } from 'eld/extrasmall';
import type { SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import { languageByScript } from './script-readers.ts';

/** The languages of facts 6.1. */
const DETECTED = ['en', 'es', 'pt', 'de', 'fr', 'it', 'zh', 'ja', 'ko', 'ru'] as const satisfies Language[];

/**
 * Scripts that decide alone from this share of the letters on. One foreign word must not decide, but a Chinese or Korean
 * letter carries as much as about four Latin ones. Kana before Han, because Japanese has both and Chinese no kana.
 */
const SCRIPTS: readonly (readonly [RegExp, number, Language])[] = [
  [/\p{Script=Hangul}/gu, 0.2, 'ko'],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 0.2, 'ja'],
  [/\p{Script=Han}/gu, 0.2, 'zh'],
  [/\p{Script=Cyrillic}/gu, 0.5, 'ru'],
];
const LETTER = /\p{L}/gu;
/** Limit of the text that is examined. */
const ENOUGH_CHARACTERS = 1000;

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/**
 * ISO 639-1 code of the language of a text, among the ten of facts 6.1. Null if it cannot be
 * detected: too short, no words, or another language.
 */
export function detectLanguage(text: string): Language | null {
  const beginning = text.slice(0, ENOUGH_CHARACTERS);
  const letters = count(beginning, LETTER);
  for (const [script, share, language] of SCRIPTS) {
    if (letters > 0 && count(beginning, script) >= share * letters) return language;
  }
  const guess = eld.detect(beginning);
  return guess.isReliable() ? (DETECTED.find((language) => language === guess.language) ?? null) : null;
}

/**
 * The language of a text among all that are spoken here: its script decides, or the words where several languages share it.
 * Null if it cannot be detected.
 */
export function detectSpokenLanguage(text: string): Language | null {
  const beginning = text.slice(0, ENOUGH_CHARACTERS).normalize('NFKC');
  const byScript = languageByScript(beginning);
  if (byScript !== undefined) return isLanguage(byScript) ? byScript : null;
  const guess = eld.detect(beginning);
  return guess.isReliable() && isLanguage(guess.language) ? guess.language : null;
}

/** Shorter texts are easily taken for another language of the same script. */
const ENOUGH_FOR_WORDS = 25;

/** The language of a request: the given one, that of its text, or the first of its voice. */
export function spokenLanguageOf({
  language,
  text,
  voice,
}: Pick<SpeechRequest, 'language' | 'text' | 'voice'>): string {
  const isShort = text.length < ENOUGH_FOR_WORDS && languageByScript(text) === undefined;
  return language ?? (isShort ? null : detectSpokenLanguage(text)) ?? voice.languages[0];
}

import type { Language } from './languages.ts';

const SCRIPTS: readonly (readonly [RegExp, Language])[] = [
  [/\p{Script=Hangul}/u, 'ko'],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Cyrillic}/u, 'ru'],
];

/** ISO 639-1 code of the language of a text among murmr's ten; null where it cannot be told. */
export function detectLanguage(text: string): Language | null {
  return SCRIPTS.find(([script]) => script.test(text))?.[1] ?? null;
}

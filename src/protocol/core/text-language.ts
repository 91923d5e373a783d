import { languageName } from '#lib/languages.ts';

/** Names of fields and parameters that give the language of a text, at any vendor. */
export const LANGUAGE_FIELD = /^(?:language(?:[_-]code)?|locale)$/;

/** Languages that some protocols name in English. */
const NAMED = ['en', 'es', 'pt', 'de', 'fr', 'it', 'zh', 'ja', 'ko', 'ru'];

/** Asked for once, because any message may name a language. */
const CODES: ReadonlyMap<string | undefined, string> = new Map(
  NAMED.map((code) => [languageName(code), code]),
);

/** Returns the code of a language as a protocol names it: by code, or in English. Other values are returned as they are. */
export const languageCodeOf = (given: string): string => CODES.get(given) ?? given;

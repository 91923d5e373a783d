/**
 * Marks that end sentences and clauses in all scripts. Each list stands inside the brackets of a regular expression with
 * the flag `u`.
 */

/** Unicode's `Sentence_Terminal`, and the marks that it lacks: the ellipsis, the Greek question mark and Tibetan shads. */
export const SENTENCE_MARKS = '\\p{Sentence_Terminal}\\u2026\\u037e\\u0f0d-\\u0f11\\u0f14';

/** Of them, those of Chinese and Japanese. */
export const FULL_WIDTH_SENTENCE_MARKS = '。！？｡．';

/** Of them, those of scripts that write no white space after them, Burmese, Khmer, Tibetan and Ethiopic included. */
export const WIDE_SENTENCE_MARKS = `${FULL_WIDTH_SENTENCE_MARKS}၊။។៕།༎።`;

/** Commas, semicolons and colons. */
export const CLAUSE_MARKS =
  ',;:\\u055d\\u060c\\u061b\\u1363-\\u1366\\u17d6\\u1802\\u3001\\ua4fe\\ua60d\\ufe50\\ufe51\\ufe54\\ufe55\\uff0c\\uff1a\\uff1b\\uff64';

/** Of them, those of Chinese and Japanese. */
export const FULL_WIDTH_CLAUSE_MARKS = '、，；：､';

/** Of them, those of scripts that write no white space after them. */
export const WIDE_CLAUSE_MARKS = `${FULL_WIDTH_CLAUSE_MARKS}፣፤`;

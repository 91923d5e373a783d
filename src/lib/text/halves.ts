/** Halves of surrogate pairs: half a character each, which UTF-8 cannot hold and no voice can speak. */
const HALF = /\p{Surrogate}/gu;

/**
 * Matches the halves in JSON, as the first group where they are escapes such as `\ud83d`, and as the second where they are
 * written as they are. Whole pairs and other escapes are matched without a group, so that `\\ud83d` is no half.
 */
const HALF_IN_JSON =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[\s\S]|(\p{Surrogate})/gu;

/** Whether a UTF-16 unit is the first half of a character. */
export const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
/** Whether a UTF-16 unit is the second half of a character. */
export const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** Stands for half a character, as encoders of UTF-8 write it. */
const REPLACEMENT = '\ufffd';

/** Whether a text contains half a character. */
export const hasHalf = (text: string): boolean => text.search(HALF) >= 0;

/** Returns a text with something in place of each half of a character. */
export const replaceHalves = (text: string, by = REPLACEMENT): string => text.replace(HALF, by);

/** Returns a JSON text with a replacement character for each half in it. Any other text is read as if it were JSON. */
export const replaceHalvesInJson = (json: string): string =>
  json.replace(HALF_IN_JSON, (match, escaped?: string, plain?: string) =>
    escaped ? '\\ufffd' : plain ? REPLACEMENT : match,
  );

/** Returns the place of the first half in a JSON text; null for none. */
export function halfInJson(json: string): { from: number; to: number } | null {
  for (const { index, 1: escaped, 2: plain } of json.matchAll(HALF_IN_JSON)) {
    const half = escaped ?? plain;
    if (half !== undefined) return { from: index, to: index + half.length };
  }
  return null;
}

import { counted } from '#lib/format.ts';

/** Invisible marks that change the direction of text or end a line, so that a frame could read as another. */
const INVISIBLE = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns the text with invisible marks as JSON escapes. */
export const readable = (text: string): string =>
  text.replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A shorter text could be a word. */
const MIN_BASE64_CHARS = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export const isBase64 = (text: string): boolean =>
  text.length >= MIN_BASE64_CHARS && text.length % 4 === 0 && BASE64.test(text);

/** Returns the value of a JSON text that is an object or a list; undefined for any other text. */
export function structureOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Characters shown of data, whose rest means nothing to a reader. */
export const DATA_CHARS = 24;

/** Returns indented JSON for reading, with data cut to its beginning and its length. */
export const prettyJson = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, field: unknown) =>
      typeof field === 'string' && isBase64(field)
        ? `${field.slice(0, DATA_CHARS)}… (${counted(field.length, 'character')} of base64)`
        : field,
    2,
  ) ?? '';

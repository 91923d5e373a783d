import { counted } from '#lib/format.ts';

/** Text from outside, made visible. */

/** Marks that turn the direction of text or end a line without being seen: they could make a frame read as another. */
const INVISIBLE = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** What cannot be seen is written as JSON escapes it. */
export const readable = (text: string): string =>
  text.replace(INVISIBLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Shorter, base64 could be a word. */
const MIN_BASE64_CHARS = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether a text is data and no words. */
export const isBase64 = (text: string): boolean =>
  text.length >= MIN_BASE64_CHARS && text.length % 4 === 0 && BASE64.test(text);

/** The value of a JSON text that is an object or a list; undefined where it is anything else. */
export function structureOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of data only its beginning means anything. */
export const DATA_CHARS = 24;

/** Indented, with data cut to its beginning and its length: to be read, not to be sent. */
export const prettyJson = (value: unknown): string =>
  JSON.stringify(
    value,
    (_, field: unknown) =>
      typeof field === 'string' && isBase64(field)
        ? `${field.slice(0, DATA_CHARS)}… (${counted(field.length, 'character')} of base64)`
        : field,
    2,
  ) ?? '';

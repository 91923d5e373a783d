import { fieldsReadOf } from './json-frame.ts';

/** Replaces the base64 and marks its place after parsing. It is neither base64 nor a value of any frame. */
const CUT = '< cut out >';

/**
 * Splits an audio frame into its base64 and the parsed rest. Nearly all traffic is audio, and parsing base64 as JSON costs
 * more than decoding it. In valid JSON the characters `"key":` cannot occur inside a string, whose quotes are escaped.
 * @returns the base64 of that key, and the frame with an empty string in its place; null for a frame that needs full parsing
 */
export function cutBase64(
  frame: string,
  key: string,
): { base64: string; rest: Record<string, unknown> } | null {
  const fields = fieldsReadOf(frame);
  const value = fields?.[key];
  if (typeof value === 'string') return { base64: value, rest: { ...fields, [key]: '' } };
  const mark = `"${key}":`;
  const found = frame.indexOf(mark);
  if (found < 0) return null;
  let open = found + mark.length;
  while (frame.charCodeAt(open) === 0x20) open += 1;
  if (frame.charCodeAt(open) !== 0x22) return null;
  const start = open + 1;
  const end = frame.indexOf('"', start);
  if (end < 0) return null;
  const base64 = frame.slice(start, end);
  if (base64.includes('\\')) return null;
  let rest: Record<string, unknown>;
  try {
    rest = JSON.parse(frame.slice(0, start) + CUT + frame.slice(end)) as Record<string, unknown>;
  } catch {
    return null;
  }
  // Otherwise the key belongs to a nested object, or occurs twice.
  if (rest[key] !== CUT) return null;
  rest[key] = '';
  return { base64, rest };
}

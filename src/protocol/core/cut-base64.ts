/** Stands in for the base64, so that where it was cut out shows after parsing: no base64, and nothing that a frame says. */
const CUT = '< cut out >';

/**
 * Audio is nearly all the traffic, and parsing its base64 as JSON costs more than decoding it. So the base64 is cut out
 * first and only the rest is parsed. In valid JSON the characters `"key":` cannot stand inside a string, where the quotes
 * would be escaped; whatever does not fit exactly takes the thorough way.
 * @returns the base64 of that key, and the frame parsed with an empty string in its place; null where this is not so plain
 */
export function cutBase64(
  frame: string,
  key: string,
): { base64: string; rest: Record<string, unknown> } | null {
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
  // Else the key belongs to an object within, or is there twice.
  if (rest[key] !== CUT) return null;
  rest[key] = '';
  return { base64, rest };
}

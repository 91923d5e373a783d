/** An escape of a text. */
export interface Escape {
  /** Behind its last character. */
  end: number;
  /** What it stands for; empty where it is dropped. */
  characters: string;
}

/** Every escape begins with one of these. */
export const ESCAPE_SIGN = /[\\%&\n\r]/g;

export const isEscapeSign = (code: number): boolean =>
  code === PERCENT ||
  code === BACKSLASH ||
  code === AMPERSAND ||
  code === LINE_FEED ||
  code === CARRIAGE_RETURN;

/**
 * Returns the escape that begins at a place, or null: one character in UTF-8 bytes (`%C3%BC`, `\xc3\xbc`), as a code of
 * JSON, JavaScript or HTML, as an entity, or as a letter behind backslashes. Line breaks and other backslashes are
 * dropped. Scanned by hand, because a hostile text has an escape for every three of its characters.
 */
export function escapeAt(text: string, at: number): Escape | null {
  switch (text.charCodeAt(at)) {
    case PERCENT:
      return bytesAt(text, at + 1);
    case BACKSLASH:
      return behindBackslashes(text, endOfBackslashes(text, at));
    case AMPERSAND:
      return matchAt(HTML, text, at);
    case LINE_FEED:
    case CARRIAGE_RETURN:
      return { end: endOfLineBreaks(text, at), characters: '' };
    default:
      return null;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;

const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', t: '\t', n: '', r: '' };

function behindBackslashes(text: string, at: number): Escape {
  const letter = text.charAt(at);
  const plain = LETTERS[letter];
  if (plain !== undefined) return { end: at + 1, characters: plain };
  let code: Escape | null = null;
  if (letter === 'x' || letter === 'X') code = bytesAt(text, at + 1);
  else if (letter === 'u' || letter === 'U') code = unitAt(text, at + 1) ?? matchAt(BRACES, text, at + 1);
  return code ?? { end: at, characters: '' };
}

/** Of a code of JSON, which may be half a character. */
function unitAt(text: string, at: number): Escape | null {
  const [high, low] = [hexPair(text, at), hexPair(text, at + 2)];
  return high < 0 || low < 0 ? null : { end: at + 4, characters: String.fromCharCode(high * 256 + low) };
}

const MOST_BYTES = 4;
const bytes = new Uint8Array(MOST_BYTES);
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** @param at of the first byte, behind its sign */
function bytesAt(text: string, at: number): Escape | null {
  const first = hexPair(text, at);
  if (first < 0) return null;
  bytes[0] = first;
  let count = 1;
  let end = at + 2;
  while (first >= 0xc0 && count < MOST_BYTES) {
    const next = behindSign(text, end);
    const byte = next < 0 ? -1 : hexPair(text, next);
    if (byte < 0x80 || byte >= 0xc0) break;
    bytes[count] = byte;
    count += 1;
    end = next + 2;
  }
  // A single byte above ASCII is a character of Latin-1.
  const characters = count === 1 ? String.fromCharCode(first) : decoder.decode(bytes.subarray(0, count));
  return { end, characters };
}

/** Returns the place behind `%` or `\x`; -1 where neither is there. */
function behindSign(text: string, at: number): number {
  if (text.charCodeAt(at) === PERCENT) return at + 1;
  const end = endOfBackslashes(text, at);
  return end > at && (text[end] === 'x' || text[end] === 'X') ? end + 1 : -1;
}

const BRACES = /\{([0-9a-f]{1,6})[};]/iy;
const HTML = /&(?:#x([0-9a-f]{1,6})[};]|#([0-9]{1,7});|(amp|lt|gt|quot|apos);)/iy;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function matchAt(pattern: RegExp, text: string, at: number): Escape | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) return null;
  const [{ length }, hex, decimal, entity] = match;
  const code = Number(decimal ?? `0x${hex ?? ''}`);
  const characters = entity
    ? (ENTITIES[entity.toLowerCase()] ?? '')
    : code <= 0x10ffff
      ? String.fromCodePoint(code)
      : '';
  return { end: at + length, characters };
}

function endOfBackslashes(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === BACKSLASH) end += 1;
  return end;
}

function endOfLineBreaks(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) === LINE_FEED || text.charCodeAt(end) === CARRIAGE_RETURN) end += 1;
  return end;
}

/** The value of two hexadecimal digits; below 0 where they are none. */
function hexPair(text: string, at: number): number {
  const [high, low] = [digit(text.charCodeAt(at)), digit(text.charCodeAt(at + 1))];
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

/**
 * Bytes as hex digits. hexy is no substitute, because it shows each byte above 7F of a `Uint8Array` as FD, and has one
 * text for offset, digits and characters, which the page shows in columns.
 */

export const HEX_ROW_BYTES = 16;

export interface HexRow {
  /** Offset of its first byte. */
  offset: number;
  /** Two digits a byte, at most sixteen bytes. */
  bytes: readonly string[];
  /** One character a byte: printable ASCII, else a dot. */
  ascii: string;
}

/** Returns the number of rows for `length` bytes. */
export const hexRowCount = (length: number): number => Math.ceil(length / HEX_ROW_BYTES);

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Returns two lower-case digits for each byte. */
export const hexPairs = (bytes: Uint8Array): string[] => Array.from(bytes, (byte) => PAIRS[byte] ?? '');

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** Returns the rows from `fromRow` to `toRow` (exclusive), without making the others. */
export function hexRows(bytes: Uint8Array, fromRow = 0, toRow = hexRowCount(bytes.length)): HexRow[] {
  const rows: HexRow[] = [];
  const end = Math.min(toRow, hexRowCount(bytes.length));
  for (let row = Math.max(0, fromRow); row < end; row += 1) {
    const offset = row * HEX_ROW_BYTES;
    const part = bytes.subarray(offset, offset + HEX_ROW_BYTES);
    rows.push({
      offset,
      bytes: hexPairs(part),
      ascii: Array.from(part, (byte) =>
        byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE ? String.fromCharCode(byte) : '.',
      ).join(''),
    });
  }
  return rows;
}

/** Formats an offset with at least eight digits. */
export const hexOffset = (offset: number): string => offset.toString(16).padStart(8, '0');

export const hexDump = (bytes: Uint8Array): string =>
  hexRows(bytes)
    .map(
      ({ offset, bytes: pairs, ascii }) =>
        `${hexOffset(offset)}  ${pairs.join(' ').padEnd(3 * HEX_ROW_BYTES - 1)}  ${ascii}`,
    )
    .join('\n');

/** The bytes, or the fault and its UTF-16 offset. */
export type HexResult = { bytes: Uint8Array<ArrayBuffer> } | { problem: string; at: number };

const BETWEEN = /[\s,:]/;
const DIGIT = /[0-9a-f]/i;

/** Parses pairs of hex digits, with or without `0x`, and with blanks, commas or colons between pairs. */
export function parseHex(text: string): HexResult {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    if (BETWEEN.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const start = at;
    const isPrefixed = /^0x/i.test(text.slice(at, at + 2));
    if (isPrefixed) at += 2;
    const [high, low] = [text.charAt(at), text.charAt(at + 1)];
    if (!DIGIT.test(high)) return { problem: expected('a hex digit, 0–9 or a–f', text, at), at };
    if (!DIGIT.test(low)) {
      // A single digit is reported itself; otherwise the character in place of the second one is.
      const isAlone = low === '' || BETWEEN.test(low);
      return isAlone
        ? { problem: `Expected two digits for a byte, found one, “${text.slice(start, at + 1)}”.`, at }
        : { problem: expected('the second hex digit of a byte', text, at + 1), at: at + 1 };
    }
    bytes.push(Number.parseInt(high + low, 16));
    at += 2;
  }
  return { bytes: Uint8Array.from(bytes) };
}

function expected(what: string, text: string, at: number): string {
  const code = text.codePointAt(at);
  return `Expected ${what}, found ${code === undefined ? 'the end' : `“${String.fromCodePoint(code)}”`}.`;
}

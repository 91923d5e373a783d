import type { Span } from './spans.ts';

/** Finds bytes of a text in others, its ASCII letters in either case. */
export function byteSpans(bytes: Uint8Array, wanted: Uint8Array): Span[] {
  const spans: Span[] = [];
  const [first = 0] = wanted;
  for (const start of isLetter(first) ? [first, first ^ CASE] : [first]) {
    for (let at = bytes.indexOf(start); at >= 0; ) {
      const end = isAt(bytes, at, wanted) ? at + wanted.length : at + 1;
      if (end > at + 1) spans.push([at, end]);
      at = bytes.indexOf(start, end);
    }
  }
  return spans;
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let at = 0; at < wanted.length; at += 1) {
    const byte = bytes[start + at] ?? NO_BYTE;
    const other = wanted[at] ?? NO_BYTE;
    if (byte !== other && !(byte === (other ^ CASE) && isLetter(other))) return false;
  }
  return true;
}

const NO_BYTE = -1;
/** The bit that differs between the cases of an ASCII letter. */
const CASE = 0x20;
const isLetter = (byte: number): boolean => (byte | CASE) >= 0x61 && (byte | CASE) <= 0x7a;

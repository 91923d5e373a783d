import type { Span } from './spans.ts';

/** Bytes to find, and the place in them of the byte that is looked for first. */
interface Pattern {
  readonly bytes: Uint8Array;
  readonly anchor: number;
}

/** Finds byte sequences, ASCII letters in either case. */
export class BytePatterns {
  /** Patterns with the same byte at their anchors share one search. */
  readonly #byAnchor = new Map<number, Pattern[]>();

  constructor(all: readonly Uint8Array[]) {
    for (const bytes of all) {
      // A letter needs a search for each case, and audio is full of zeros.
      const anchor = Math.max(
        0,
        bytes.findIndex((byte) => byte !== 0 && !isLetter(byte)),
      );
      const byte = bytes[anchor] ?? 0;
      for (const first of isLetter(byte) ? [byte, byte ^ CASE] : [byte]) {
        this.#byAnchor.set(first, [...(this.#byAnchor.get(first) ?? []), { bytes, anchor }]);
      }
    }
  }

  spansIn(bytes: Uint8Array): Span[] {
    const spans: Span[] = [];
    for (const [first, patterns] of this.#byAnchor) {
      for (let at = bytes.indexOf(first); at >= 0; ) {
        let from = at + 1;
        for (const pattern of patterns) {
          const start = at - pattern.anchor;
          if (!isAt(bytes, start, pattern.bytes)) continue;
          from = start + pattern.bytes.length;
          spans.push([start, from]);
        }
        at = bytes.indexOf(first, from);
      }
    }
    return spans;
  }
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

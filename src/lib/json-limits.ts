export interface JsonLimits {
  /** Lists and objects inside one another. */
  depth: number;
  /** Values of any kind, so that a small text cannot become a large structure. */
  values: number;
}

export const TYPED_LIMITS: JsonLimits = { depth: 100, values: 1_000_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Returns where a JSON text exceeds a limit, or null. Parsers recurse, so that a deep text would exhaust their stack. */
export function jsonExcess(text: string, limits: JsonLimits): { offset: number; expected: string } | null {
  let depth = 0;
  let values = 0;
  let startsValue = true;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) continue;
    const closes = code === CLOSE_LIST || code === CLOSE_OBJECT;
    if (startsValue && !closes) values += 1;
    if (values > limits.values) return { offset: at, expected: `at most ${limits.values} values` };
    startsValue = code === COMMA;
    if (closes) depth -= 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (depth >= limits.depth) {
        return { offset: at, expected: `at most ${limits.depth} lists and objects inside one another` };
      }
      depth += 1;
      startsValue = true;
    } else if (code === QUOTE) {
      const end = endOfString(text, at + 1);
      if (end < 0) return null;
      at = end;
    }
  }
  return null;
}

/** The offset of the quote that ends a JSON string whose text begins at `from`; -1 where none does. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text.charCodeAt(at - backslashes - 1) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}

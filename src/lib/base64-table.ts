/** Number of bytes written, or the fault of the text. */
export type Base64Result = { bytes: number } | { problem: string };

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PAD = '='.charCodeAt(0);
const WRONG = 0xff;
const BLANK = 0xfe;

/** Six bits for each character code below 128. */
const SIX_BITS = new Uint8Array(128).fill(WRONG);
for (let value = 0; value < ALPHABET.length; value += 1) SIX_BITS[ALPHABET.charCodeAt(value)] = value;
for (const blank of '\t\n\f\r ') SIX_BITS[blank.charCodeAt(0)] = BLANK;

const badCharacter = (text: string, at: number): Base64Result => ({
  problem: `Not base64: expected A–Z, a–z, 0–9, + or /, found ${JSON.stringify(text.charAt(at))} at character ${at}.`,
});

const badEnd = (text: string): Base64Result => ({
  problem: `Not base64: expected groups of four characters, the last one filled up with =, found an end that does not fit (${text.length} characters).`,
});

/**
 * Decodes without the browser's decoder, strictly by RFC 4648 section 4: padding is required and its bits are 0. ASCII
 * white space is skipped, as the browser does. After a problem, `target` may hold some of the bytes.
 */
export function decodeBase64ByTable(text: string, target: Uint8Array): Base64Result {
  let bits = 0;
  let held = 0;
  let padding = 0;
  let written = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === PAD) {
      padding += 1;
      if (held < 2 || held + padding > 4) return badEnd(text);
      continue;
    }
    const value = code < 128 ? (SIX_BITS[code] ?? WRONG) : WRONG;
    if (value === BLANK) continue;
    if (value === WRONG) return badCharacter(text, at);
    if (padding > 0) return badEnd(text);
    bits = (bits << 6) | value;
    held += 1;
    if (held === 4) {
      target[written] = bits >> 16;
      target[written + 1] = bits >> 8;
      target[written + 2] = bits;
      written += 3;
      bits = 0;
      held = 0;
    }
  }
  if (held === 0) return padding === 0 ? { bytes: written } : badEnd(text);
  if (held + padding !== 4) return badEnd(text);
  if (held === 2) {
    if ((bits & 0xf) !== 0) return badEnd(text);
    target[written] = bits >> 4;
    return { bytes: written + 1 };
  }
  if ((bits & 0x3) !== 0) return badEnd(text);
  target[written] = bits >> 10;
  target[written + 1] = bits >> 2;
  return { bytes: written + 2 };
}

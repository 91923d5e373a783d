/** Number of bytes written, or the fault of the text. */
export type Base64Result = { bytes: number } | { problem: string };

/** ES2026, not in the type library yet. */
interface NativeDecoder {
  setFromBase64(
    text: string,
    options: { alphabet: 'base64'; lastChunkHandling: 'strict' },
  ): { read: number; written: number };
}

const hasNativeDecoder = 'setFromBase64' in Uint8Array.prototype;
const NATIVE_OPTIONS = { alphabet: 'base64', lastChunkHandling: 'strict' } as const;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PAD = '='.charCodeAt(0);
const WRONG = 0xff;
const BLANK = 0xfe;

/** Six bits for each character code below 128. */
const SIX_BITS = new Uint8Array(128).fill(WRONG);
for (let value = 0; value < ALPHABET.length; value += 1) SIX_BITS[ALPHABET.charCodeAt(value)] = value;
for (const blank of '\t\n\f\r ') SIX_BITS[blank.charCodeAt(0)] = BLANK;

/** Upper bound of the bytes in base64 text of this length. */
export const maxDecodedBytes = (textLength: number): number => Math.ceil((textLength * 3) / 4);

/** Returns the number of bytes in well-formed base64. */
export function exactDecodedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

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

/**
 * Decodes standard base64 into the beginning of `target` without allocating, by the browser's decoder if it has one.
 * After a problem, `target` may hold some of the bytes.
 * @throws RangeError if `target` is smaller than {@link maxDecodedBytes}
 */
export function decodeBase64Into(text: string, target: Uint8Array): Base64Result {
  if (target.length < maxDecodedBytes(text.length)) {
    throw new RangeError(`${text.length} characters of base64 do not fit into ${target.length} bytes.`);
  }
  if (!hasNativeDecoder) return decodeBase64ByTable(text, target);
  try {
    const decoder: unknown = target;
    return { bytes: (decoder as NativeDecoder).setFromBase64(text, NATIVE_OPTIONS).written };
  } catch {
    // The browser does not say where it failed; the table decoder does.
    return decodeBase64ByTable(text, target);
  }
}

/** Bytes encoded at once: every engine takes as many arguments. A multiple of three, so that pieces can be joined. */
const BLOCK_BYTES = 0x6000;

/** Standard base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + BLOCK_BYTES)));
  }
  return text;
}

/** Decodes standard base64 into a new array, or says what is wrong with it. */
export function decodeBase64(text: string): { bytes: Uint8Array<ArrayBuffer> } | { problem: string } {
  const room = new Uint8Array(maxDecodedBytes(text.length));
  const result = decodeBase64Into(text, room);
  return 'problem' in result ? result : { bytes: room.slice(0, result.bytes) };
}

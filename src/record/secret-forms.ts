import { encodeBase64 } from '#lib/base64.ts';
import { hexPairs } from '#lib/hex.ts';
import { BytePatterns } from './byte-patterns.ts';
import { decodedText } from './decoded-text.ts';
import { MAX_SPLIT_CHARS, SplitPattern } from './split-secrets.ts';

/** A shorter secret could occur in a frame by chance, so it is replaced only in sentences for people. */
export const MIN_CHARS_IN_FRAMES = 8;

/** The forms of a secret to look for. Those of a blank one are none. */
export class SecretForms {
  /** Folded, of any length. */
  readonly plain: readonly string[];
  /** Where case matters: base64, and letters beyond ASCII, whose case depends on their neighbours. */
  readonly exact: readonly string[];
  readonly bytes: BytePatterns;
  readonly splitTexts: readonly SplitPattern[];
  readonly splitBytes: readonly SplitPattern[];

  constructor(secret: string) {
    // A server may trim a pasted blank.
    const core = secret.trim();
    // Encoded forms of a short secret would match ordinary words.
    const long = core.length >= MIN_CHARS_IN_FRAMES ? [core] : [];
    const utf8 = long.map((text) => new TextEncoder().encode(text));
    const hex = utf8.map((bytes) => hexPairs(bytes).join(''));
    this.plain = core === '' ? [] : distinct([...plainForms(core), folded(secret), ...hex]);
    this.exact = distinct([...(isAscii(core) ? [] : [core]), ...utf8.flatMap(base64Forms)]);
    this.bytes = new BytePatterns([...utf8, ...long.flatMap(utf16Forms)]);
    this.splitTexts = splitPatterns(long.flatMap(plainForms));
    this.splitBytes = splitPatterns(
      utf8.filter(({ length }) => length <= MAX_SPLIT_CHARS).map((bytes) => folded(latin1(bytes))),
    );
  }
}

const distinct = (forms: readonly string[]): string[] => [...new Set(forms)].filter((form) => form !== '');

const splitPatterns = (secrets: readonly string[]): SplitPattern[] =>
  distinct(secrets)
    .filter(({ length }) => length <= MAX_SPLIT_CHARS)
    .map((secret) => new SplitPattern(secret));

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Returns the text in one case, each character in its place. */
export function folded(text: string): string {
  const low = text.toLowerCase();
  // The only letter whose lower case is longer.
  return low.length === text.length ? low : text.replaceAll('\u0130', 'i').toLowerCase();
}

/**
 * Folded, also without escapes of its own, and as JSON writes it: where it begins or ends with an escape, the rest would
 * be no JSON. An address may write a blank as a plus, and a server may read a plus as a blank.
 */
function plainForms(secret: string): string[] {
  const decoded = decodedText(secret)?.text ?? '';
  const isLong = decoded.length >= Math.min(secret.length, MIN_CHARS_IN_FRAMES);
  return [secret, inJson(secret), inJson(inJson(secret)), ...(isLong ? [decoded] : [])]
    .flatMap((form) => [form, form.replaceAll(' ', '+'), form.replaceAll('+', ' ')])
    .map(folded);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Base64 within a longer text has one of three forms, by its offset in a group of three bytes. */
function base64Forms(secret: Uint8Array): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + secret.length + 2);
    padded.set(secret, before);
    const whole = encodeBase64(padded);
    // Characters that hold bits of a neighbour too are not the secret's own.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6));
  });
  return [...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** In little and big endian, which for ASCII differ only by a zero at the edge. */
function utf16Forms(secret: string): Uint8Array[] {
  const little = new Uint8Array(2 * secret.length);
  const big = new Uint8Array(2 * secret.length);
  for (let at = 0; at < secret.length; at += 1) {
    new DataView(little.buffer).setUint16(2 * at, secret.charCodeAt(at), true);
    new DataView(big.buffer).setUint16(2 * at, secret.charCodeAt(at));
  }
  return isAscii(secret) ? [little.subarray(0, -1)] : [little, big];
}

/** One character a byte, of up to a few thousand bytes. */
export const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

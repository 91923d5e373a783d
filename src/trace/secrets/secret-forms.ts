import { encodeBase64 } from '#lib/base64.ts';
import { hexPairs } from '#lib/hex.ts';
import { textOfCodes } from './code-units.ts';
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
  /** As UTF-8, one folded character a byte; null for a short secret. */
  readonly bytes: string | null;
  readonly split: readonly SplitPattern[];

  constructor(secret: string) {
    // A server may trim a pasted blank.
    const core = secret.trim();
    // Encoded forms of a short secret would match ordinary words.
    const isLong = core.length >= MIN_CHARS_IN_FRAMES;
    const utf8 = new TextEncoder().encode(core);
    const plain = core === '' ? [] : [...plainForms(core), folded(secret)];
    this.plain = distinct(isLong ? [...plain, hexPairs(utf8).join('')] : plain);
    this.exact = distinct([...(isAscii(core) ? [] : [core]), ...(isLong ? base64Forms(utf8) : [])]);
    this.bytes = isLong ? folded(textOfCodes(utf8)) : null;
    this.split = distinct(isLong ? plainForms(core) : [])
      .filter(({ length }) => length <= MAX_SPLIT_CHARS)
      .map((form) => new SplitPattern(form));
  }
}

const distinct = (forms: readonly string[]): string[] => [...new Set(forms)].filter((form) => form !== '');

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Returns the text in one case, each character in its place. */
export function folded(text: string): string {
  const low = text.toLowerCase();
  // The only letter whose lower case is longer.
  return low.length === text.length ? low : text.split('\u0130').join('i').toLowerCase();
}

/**
 * Folded, also without escapes of its own, and as JSON writes it: where it begins or ends with an escape, the rest would
 * be no JSON. An address may write a blank as a plus, and a server may read a plus as a blank.
 */
function plainForms(secret: string): string[] {
  // Escaped bytes are decoded to one character each.
  const bytewise = textOfCodes(new TextEncoder().encode(secret));
  const decoded = [secret, bytewise].flatMap((form) => decodedText(form)?.text ?? []);
  const long = decoded.filter(({ length }) => length >= Math.min(secret.length, MIN_CHARS_IN_FRAMES));
  return [secret, bytewise, inJson(secret), inJson(inJson(secret)), ...long]
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

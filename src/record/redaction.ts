import { hexPairs } from '#lib/hex.ts';
import type { Frame } from '#protocol/core/endpoint.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { isSecretName, KEY_MARK, withoutNamedSecrets } from './named-secrets.ts';

/** A shorter secret could occur in a frame by chance, so it is replaced only in sentences for people. */
const MIN_CHARS_IN_FRAMES = 8;

/**
 * Replaces a secret in every form: plain, escaped for an address or JSON (also in part), base64, hex and bytes.
 * A public key must not be passed, because it may be an ordinary word.
 */
export class Redaction {
  readonly #forms: readonly string[];
  /** The secret with any of its characters escaped, looked for only where there are escapes. */
  readonly #escaped: RegExp | null;
  readonly #bytes: Uint8Array | null;

  constructor(secret: string) {
    // A server may trim a pasted blank.
    const core = secret.trim();
    const isLong = core.length >= MIN_CHARS_IN_FRAMES;
    const forms = (isLong ? [secret, core] : [secret]).flatMap((each) => [
      each,
      ...addressForms(each),
      ...jsonForms(each),
    ]);
    // Encoded forms of a short secret would match ordinary words.
    if (isLong) forms.push(...encodedForms(core));
    // Longest first, because a shorter form may be part of a longer one.
    this.#forms = core === '' ? [] : [...new Set(forms)].sort((a, b) => b.length - a.length);
    this.#escaped = isLong ? escapedForm(core) : null;
    this.#bytes = isLong ? new TextEncoder().encode(core) : null;
  }

  /** Cleans a frame. Base64 of audio contains a key by chance only once in 64^8. */
  frame(frame: Frame): Frame {
    return typeof frame === 'string' ? this.#replace(frame, MIN_CHARS_IN_FRAMES) : this.#replaceBytes(frame);
  }

  /** Cleans a sentence for people: error message, close reason, address. */
  words(text: string): string {
    return this.#replace(text, 1);
  }

  #replace(text: string, minChars: number): string {
    let clean = text;
    for (const form of this.#forms) {
      if (form.length >= minChars && clean.includes(form)) clean = clean.replaceAll(form, () => KEY_MARK);
    }
    if (this.#escaped && ESCAPE.test(clean)) clean = clean.replace(this.#escaped, () => KEY_MARK);
    return clean;
  }

  /** Keeps the length, so that offsets stay valid. */
  #replaceBytes(frame: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const secret = this.#bytes;
    if (!secret) return frame;
    let clean = frame;
    for (
      let at = indexOfBytes(frame, secret, 0);
      at >= 0;
      at = indexOfBytes(frame, secret, at + secret.length)
    ) {
      if (clean === frame) clean = frame.slice();
      clean.fill(STAR, at, at + secret.length);
    }
    return clean;
  }
}

/**
 * Replaces named secrets in a frame or an address.
 * @param typed a person may have written it, so values of secret fields are replaced of any type
 */
export function withoutSecretFields(text: string, typed: boolean): string {
  const clean = mayHaveNamedSecret(text) ? withoutNamedSecrets(text) : text;
  const fields = typed && clean.trimStart().startsWith('{') ? fieldsOf(clean) : null;
  return fields && hideFields(fields) ? JSON.stringify(fields) : clean;
}

/** A longer string is probably base64. */
const LONG_CHARS = 256;
/** A string without any of these contains no named secret. */
const SIGNS = ['\\', ':', '?', '&'];

/** Skips the long base64 string of an audio frame. */
function mayHaveNamedSecret(text: string): boolean {
  if (text.length < LONG_CHARS) return true;
  const strings = text.split('"');
  const isPlain = (string: string): boolean =>
    string.length >= LONG_CHARS && !SIGNS.some((sign) => string.includes(sign));
  // One character keeps the place of a value whose name may mark a secret.
  const shortened = strings.map((string) => (isPlain(string) ? 'A' : string)).join('"');
  return withoutNamedSecrets(shortened) !== shortened;
}

const STAR = '*'.charCodeAt(0);

/** Deeper than any frame. Deeper values are replaced as a whole. */
const MAX_DEPTH = 64;

/** Replaces the values of secret fields in place. Returns whether there were any. */
function hideFields(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let hasHidden = false;
  for (const [name, field] of Object.entries(value)) {
    const isHidden = depth >= MAX_DEPTH ? typeof field === 'object' && field !== null : isSecretName(name);
    const isEmpty = field === null || field === '' || field === KEY_MARK || typeof field === 'boolean';
    if (isHidden && !isEmpty) {
      // Plain assignment would set the prototype where the name is `__proto__`.
      Object.defineProperty(value, name, { value: KEY_MARK, enumerable: true });
      hasHidden = true;
    } else if (hideFields(field, depth + 1)) hasHidden = true;
  }
  return hasHidden;
}

const LONE_SURROGATE = /\p{Surrogate}/u;
const ESCAPE = /\\u|%/;

function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [json, json.replaceAll('/', '\\/')];
}

function addressForms(secret: string): string[] {
  // A lone surrogate has no form in an address.
  if (LONE_SURROGATE.test(secret)) return [];
  const inAddress = encodeURIComponent(secret);
  const lowerCase = inAddress.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [inAddress, lowerCase, inAddress.replaceAll('%20', '+'), encodeURI(secret)];
}

/** Base64 within a longer text has one of three forms, by its offset in a group of three bytes. */
function encodedForms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = hexPairs(bytes).join('');
  const base64 = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length + 2);
    padded.set(bytes, before);
    const whole = btoa(String.fromCharCode(...padded));
    // Characters that hold bits of a neighbour too are not the secret's own.
    return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const forAddresses = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [...base64, ...forAddresses, hex, hex.toUpperCase()];
}

/** Each character as it is, or as JSON or an address may escape it. */
function escapedForm(secret: string): RegExp {
  const characters = Array.from(secret, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    const inJson = units.map((unit) => `\\\\u${anyCase(unit.toString(16).padStart(4, '0'))}`).join('');
    const octets = hexPairs(new TextEncoder().encode(character));
    const inAddress = octets.map((octet) => `%${anyCase(octet)}`).join('');
    const plain = [character, ...jsonForms(character)].map((form) =>
      form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'),
    );
    return `(?:${[inJson, inAddress, ...new Set(plain)].join('|')})`;
  });
  return new RegExp(characters.join(''), 'g');
}

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first] = wanted;
  if (first === undefined) return -1;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1;
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return -1;
}

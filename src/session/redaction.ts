import type { Frame } from '../protocol/endpoint.ts';

const MARK = '[key]';

/** A shorter secret could stand in a frame by chance, so it is replaced only in sentences meant for people. */
const MIN_CHARS_IN_FRAMES = 8;

/**
 * Replaces a secret wherever it is repeated: as it is, as an address writes it, as JSON writes it.
 * A key that is public (the local server's) is no secret and must not be given here, or ordinary words would vanish.
 */
export class Redaction {
  readonly #forms: readonly string[];

  constructor(secret: string) {
    const forms = secret.trim() === '' ? [] : [secret, ...escapedForms(secret)];
    // Longest first, or a shorter form would cut a longer one in two.
    this.#forms = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  /** A frame as it may be kept and read. Base64 of audio cannot hold a whole key but by a chance of 1 in 64^8. */
  frame(frame: Frame): Frame {
    return typeof frame === 'string' ? this.#replace(frame, MIN_CHARS_IN_FRAMES) : frame;
  }

  /** A sentence for people: error message, close reason, address. */
  words(text: string): string {
    return this.#replace(text, 1);
  }

  #replace(text: string, minChars: number): string {
    let clean = text;
    for (const form of this.#forms) {
      if (form.length >= minChars && clean.includes(form)) clean = clean.replaceAll(form, () => MARK);
    }
    return clean;
  }
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function escapedForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const inJson = [json, json.replaceAll('/', '\\/')];
  // A lone surrogate has no form in an address.
  if (LONE_SURROGATE.test(secret)) return inJson;
  const inAddress = encodeURIComponent(secret);
  const lowerCase = inAddress.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [...inJson, inAddress, lowerCase, inAddress.replaceAll('%20', '+'), encodeURI(secret)];
}

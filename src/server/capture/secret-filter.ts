import { remember } from '#lib/collections/maps.ts';
import { ownText } from '#lib/format.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isSecretHeader, namedSecrets, withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import { cleanJson, Redaction, SecretForms } from '#trace/secrets/redaction.ts';

/** Secrets that are looked for everywhere. A client has one; each costs a search through every frame. */
const MAX_SECRETS = 4;
/** A shorter text could occur in a frame by chance. */
const MIN_SECRET_CHARS = 8;
/** A longer one is no key, as servers accept headers of 8 KiB. It is replaced where it is named. */
const MAX_SECRET_CHARS = 8 * 1024;

/** Replaces the secrets of one connection or call in all that is recorded of it. */
export class SecretFilter {
  readonly #isPublic: (secret: string) => boolean;
  readonly #recent: Map<string, SecretForms>;
  /** Those of other calls first. */
  readonly #forms: Map<string, SecretForms>;
  #learned = 0;
  #redaction: Redaction;

  /**
   * @param isPublic keys that everybody knows are no secrets and may be ordinary words
   * @param recent secrets of the newest calls of the program, to which those of this one are added
   */
  constructor(isPublic: (secret: string) => boolean, recent = new Map<string, SecretForms>()) {
    this.#isPublic = isPublic;
    this.#recent = recent;
    this.#forms = new Map(recent);
    this.#redaction = new Redaction(...this.#forms.values());
  }

  learn(secrets: readonly string[]): void {
    const before = this.#forms.size;
    for (const named of secrets) {
      if (this.#learned >= MAX_SECRETS) break;
      if (named.length < MIN_SECRET_CHARS || named.length > MAX_SECRET_CHARS || this.#isPublic(named))
        continue;
      const secret = ownText(named);
      // Costs more than the rest of a call.
      const forms = this.#forms.get(secret) ?? new SecretForms(secret);
      if (!this.#forms.has(secret)) this.#learned += 1;
      this.#forms.set(secret, forms);
      remember(this.#recent, secret, forms, MAX_SECRETS);
    }
    if (this.#forms.size === before) return;
    this.#redaction = new Redaction(...this.#forms.values());
  }

  /** Cleans a frame, and learns the secrets that the client names in it. */
  frame(direction: 'out' | 'in', frame: Frame): Frame {
    if (typeof frame !== 'string') return this.#redaction.frame(frame);
    if (direction === 'out') this.learn(namedSecrets(frame));
    return this.#redaction.frame(withoutNamedSecrets(frame));
  }

  /** Writes JSON that is cleaned in its strings only, because a short secret may occur in numbers and names. */
  json(what: object): string {
    const json = JSON.stringify(what);
    // Most have no secret, and one search is faster than one in each string.
    return this.words(json) === json ? json : cleanJson(what, (text) => this.words(text));
  }

  /** Cleans an address, or a sentence for people. */
  words(text: string): string {
    return this.#redaction.words(withoutNamedSecrets(text));
  }
}

/** Returns the secrets in the query of an address. Its names may have escapes, which a server decodes. */
export const querySecrets = (address: string): string[] =>
  namedSecrets(`?${new URLSearchParams(address.replace(/^[^?]*/, ''))}`);

/**
 * Returns the secrets in the headers of a request, without the scheme before them. Names are in lower case. Cookies are
 * hidden, but not looked for elsewhere, because they may be ordinary words. Of the headers of a WebSocket handshake only
 * subprotocols hold secrets.
 */
export const headerSecrets = (headers: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => {
    if (name.startsWith('sec-websocket-')) return namedSecrets(`${name}: ${value}`);
    return isSecretHeader(name) && !name.includes('cookie') ? [String(value).replace(SCHEME, '')] : [];
  });

const SCHEME = /^[\w-]+\s+/;

import type { Frame } from '#protocol/core/endpoint.ts';
import { namedSecrets, withoutNamedSecrets } from '../format/named-secrets.ts';
import { Redaction } from '../format/redaction.ts';

/** As many as a real file has, with room to spare; each costs a search through every frame. */
export const MAX_SECRETS = 16;
/** What is shorter could stand in a frame by chance. */
const MIN_SECRET_CHARS = 8;
/** Longer is no key, but a file that has lost a quotation mark, or wants to keep us busy. */
const MAX_SECRET_CHARS = 4096;

/** The address and the frames of one socket. */
export type SocketTexts = readonly Frame[];

/**
 * The secrets that the sockets of a file tell by name: one that is named by the last of them may be repeated in the
 * first, so all are known before anything is cleaned.
 */
export class FileSecrets {
  readonly #bySocket: ReadonlyMap<SocketTexts, ReadonlySet<string>>;
  readonly #all: ReadonlySet<string>;
  /** By secret, made once for all addresses. */
  readonly #redactions = new Map<string, Redaction>();
  /** The file names more than are looked for. */
  readonly hasMore: boolean;

  constructor(sockets: readonly SocketTexts[]) {
    const bySocket = new Map(sockets.map((texts) => [texts, secretsIn(texts)]));
    this.#bySocket = bySocket;
    const all = new Set([...bySocket.values()].flatMap((secrets) => [...secrets]));
    this.hasMore = all.size > MAX_SECRETS;
    this.#all = firstOf(all);
  }

  /** What cleans frames of these sockets: their own secrets first, and those of all others as far as there is room. */
  cleanerOf(sockets: readonly SocketTexts[]): (frame: Frame) => Frame {
    const own = sockets.flatMap((texts) => [...(this.#bySocket.get(texts) ?? [])]);
    const secrets = [...new Set([...firstOf(new Set([...own, ...this.#all]))].flatMap(formsOf))];
    // Longest first, or a shorter one would cut a longer one in two.
    const redactions = secrets.sort((a, b) => b.length - a.length).map((secret) => this.#redactionOf(secret));
    return (frame) => {
      let clean = typeof frame === 'string' ? withoutNamedSecrets(frame) : frame;
      for (const redaction of redactions) clean = redaction.frame(clean);
      return clean;
    };
  }

  #redactionOf(secret: string): Redaction {
    const known = this.#redactions.get(secret) ?? new Redaction(secret);
    this.#redactions.set(secret, known);
    return known;
  }
}

/** One more than are looked for tells that there are more. */
function secretsIn(texts: SocketTexts): ReadonlySet<string> {
  const secrets = new Set<string>();
  for (const text of texts) {
    if (typeof text !== 'string') continue;
    for (const secret of namedSecrets(text)) if (isLookedFor(secret)) secrets.add(secret);
    if (secrets.size > MAX_SECRETS) break;
  }
  return secrets;
}

const firstOf = (secrets: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...secrets].slice(0, MAX_SECRETS));

const isLookedFor = ({ length }: string): boolean => length >= MIN_SECRET_CHARS && length <= MAX_SECRET_CHARS;

/** As it stands there, and as an address or JSON may have meant it. */
const formsOf = (secret: string): string[] =>
  [secret, fromAddress(secret), fromJson(secret)].filter(isLookedFor);

function fromAddress(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return secret;
  }
}

function fromJson(secret: string): string {
  try {
    return String(JSON.parse(`"${secret}"`));
  } catch {
    return secret;
  }
}

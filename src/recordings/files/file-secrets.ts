import { madeOnce } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { namedSecrets } from '#trace/secrets/named-secrets.ts';
import { Redaction, SecretForms } from '#trace/secrets/redaction.ts';

/** More than a real file has. Each costs a search through every frame. */
export const MAX_SECRETS = 16;
/** A shorter text could occur in a frame by chance. */
const MIN_SECRET_CHARS = 8;
/** A longer one is no key, but a broken or hostile file. */
const MAX_SECRET_CHARS = 4096;

/** The address and the frames of one socket. */
export type SocketTexts = readonly Frame[];

/** The named secrets of a file. All are collected before any frame is cleaned, because other sockets may repeat them. */
export class FileSecrets {
  readonly #bySocket: ReadonlyMap<SocketTexts, ReadonlySet<string>>;
  readonly #all: ReadonlySet<string>;
  /** By secret, shared by all sockets. */
  readonly #forms = new Map<string, SecretForms>();
  /** The file names more secrets than {@link MAX_SECRETS}. */
  readonly hasMore: boolean;

  constructor(sockets: readonly SocketTexts[]) {
    const bySocket = new Map(sockets.map((texts) => [texts, secretsIn(texts)]));
    this.#bySocket = bySocket;
    const all = new Set([...bySocket.values()].flatMap((secrets) => [...secrets]));
    this.hasMore = all.size > MAX_SECRETS;
    this.#all = firstOf(all);
  }

  /** Returns the redaction for frames of this socket. Its own secrets come first under the limit. */
  redactionOf(texts: SocketTexts): Redaction {
    const own = this.#bySocket.get(texts) ?? [];
    const secrets = firstOf(new Set([...own, ...this.#all]));
    const forms = [...secrets].map((one) => madeOnce(this.#forms, one, () => new SecretForms(one)));
    return new Redaction(...forms);
  }
}

/** Stops one secret above the limit, which sets `hasMore`. */
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

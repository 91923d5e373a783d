import { createHash } from 'node:crypto';

/** Begins the name of every key and channel. The number changes with the shape of what is stored. */
const PREFIX = 'voicewire:1:';

const DIGEST_CHARS = 32;

/** The name of a key. @param secret an API key, an address or another name that must not be stored in clear */
export const redisKey = (kind: string, secret?: string): string =>
  secret === undefined ? `${PREFIX}${kind}` : `${PREFIX}${kind}:${digestOf(secret)}`;

/** Names something that must not be stored in clear. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);

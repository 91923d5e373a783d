import { digestOf } from '../digest.ts';

/** Begins the name of every key and channel. The number changes with the shape of what is stored. */
const PREFIX = 'voicewire:1:';

/** The name of a key. @param secret an API key, an address or another name that must not be stored in clear */
export const redisKey = (kind: string, secret?: string): string =>
  secret === undefined ? `${PREFIX}${kind}` : `${PREFIX}${kind}:${digestOf(secret)}`;

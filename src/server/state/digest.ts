import { createHash } from 'node:crypto';

const DIGEST_CHARS = 32;

/** Names something that must not be stored in clear. */
export const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);

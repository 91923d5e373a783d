import { createHash } from 'node:crypto';

/** Names what a client received by its length and its digest. */
export async function digestOf(parts) {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const part of parts) {
    hash.update(part);
    bytes += part.length;
  }
  return `${bytes} bytes, ${hash.digest('hex')}`;
}

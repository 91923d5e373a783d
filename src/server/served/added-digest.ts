import type { Hash } from 'node:crypto';
import { yieldIfLong } from '#lib/loop-slice.ts';

/** Bytes that are hashed in well under a millisecond. */
const HASHED_AT_ONCE = 128 * 1024;

/** Adds a payload to a digest, while others run as well. */
export async function addToDigest(digest: Hash, payload: string | Uint8Array): Promise<void> {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
    digest.update(bytes.subarray(at, at + HASHED_AT_ONCE));
    const pause = yieldIfLong();
    if (pause) await pause;
  }
}

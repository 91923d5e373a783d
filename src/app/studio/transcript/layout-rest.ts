/**
 * Turns up to this size are laid out at once. Code that runs for the first time and a busy machine make
 * their layout seem slow, and the first word would wait for a rest.
 */
const ORDINARY_CHARS = 3000;
const ORDINARY_CHUNKS = 50;
/** A layout of a few milliseconds fits into a frame. */
const CHEAP_MS = 4;
/** Layouts take at most this share of the time. */
const SHARE = 0.1;

/**
 * Returns how long a layout stays before the next one, in ms. It is 0 for turns of ordinary length. A turn of thousands
 * of characters or chunks is laid out a few times a second.
 * @param costMs duration of the layout
 */
export function layoutRestMs(costMs: number, chars: number, chunks: number): number {
  const isOrdinary = chars <= ORDINARY_CHARS && chunks <= ORDINARY_CHUNKS;
  return isOrdinary || costMs < CHEAP_MS ? 0 : costMs / SHARE;
}

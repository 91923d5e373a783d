/**
 * A repeatable source of numbers, evenly spread over [0, 1): the same seed gives the same sequence everywhere.
 * For simulations and tests, not for secrets. The generator is mulberry32 (32 bits of state, public domain).
 * @param seed a 32-bit integer; other numbers are cut to one
 */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

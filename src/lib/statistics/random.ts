/**
 * Returns a generator of numbers in [0, 1) that repeats for equal seeds (mulberry32, public domain).
 * For simulations and tests, not for secrets.
 * @param seed truncated to a 32-bit integer
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

/** Fisher–Yates shuffle: every order is equally likely. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const [a, b] = [result[last], result[at]];
    if (a === undefined || b === undefined) continue;
    result[last] = b;
    result[at] = a;
  }
  return result;
}

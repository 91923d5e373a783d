/**
 * The exact two-sided sign test: how likely a split at least as uneven as this one is, were both sides of it equally
 * likely every time. 1 where there is nothing to split. Ties are left out by who calls it.
 * @param a, b whole numbers, together at most 1000
 */
export function signTest(a: number, b: number): number {
  const trials = a + b;
  const fewer = Math.min(a, b);
  let term = 2 ** -trials;
  let tail = 0;
  for (let at = 0; at <= fewer; at += 1) {
    tail += term;
    term *= (trials - at) / (at + 1);
  }
  return Math.min(1, 2 * tail);
}

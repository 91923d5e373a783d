/**
 * Returns the exact two-sided p-value of the sign test; 1 without trials. The caller leaves out ties.
 * @param a, b whole numbers with a sum of at most 1000
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

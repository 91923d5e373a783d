/** Returns P(X ≤ k) for k from 0 to `trials`, with a success `chance` in (0, 1). Logarithms prevent underflow. */
export function binomialAtMost(trials: number, chance: number): Float64Array {
  const atMost = new Float64Array(trials + 1);
  const odds = Math.log(chance) - Math.log1p(-chance);
  let logTerm = trials * Math.log1p(-chance);
  let sum = 0;
  for (let k = 0; k <= trials; k += 1) {
    sum += Math.exp(logTerm);
    atMost[k] = Math.min(1, sum);
    logTerm += Math.log(trials - k) - Math.log(k + 1) + odds;
  }
  return atMost;
}

/** Returns the exact two-sided p-value of the sign test; 1 without trials. The caller leaves out ties. */
export const signTest = (a: number, b: number): number =>
  Math.min(1, 2 * (binomialAtMost(a + b, 0.5)[Math.min(a, b)] ?? 1));

/**
 * Returns P(Z ≤ z) of a standard normal distribution with an error below 1e-14, by a continued fraction in the tails
 * and a series in the middle (Abramowitz and Stegun 26.2.14 and 26.2.11).
 */
export function normalAtMost(z: number): number {
  const x = Math.abs(z);
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  let tail: number;
  if (x > 6) {
    let fraction = x;
    for (let term = 60; term >= 1; term -= 1) fraction = x + term / fraction;
    tail = density / fraction;
  } else {
    let term = x;
    let sum = x;
    for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
      term *= (x * x) / odd;
      sum += term;
    }
    tail = 0.5 - density * sum;
  }
  return z > 0 ? 1 - tail : tail;
}

/**
 * P(X ≤ `successes`) of `trials` independent trials that each succeed with `chance` (0 to 1). Exact up to rounding: every
 * term is made from the one before it, by logarithms, so that none underflows on the way.
 */
export function binomialAtMost(successes: number, trials: number, chance: number): number {
  if (successes < 0) return 0;
  if (successes >= trials) return 1;
  if (chance <= 0) return 1;
  if (chance >= 1) return 0;
  const odds = Math.log(chance) - Math.log1p(-chance);
  let logTerm = trials * Math.log1p(-chance);
  let sum = Math.exp(logTerm);
  for (let k = 1; k <= successes; k += 1) {
    logTerm += Math.log(trials - k + 1) - Math.log(k) + odds;
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}

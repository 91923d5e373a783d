import { money } from '#lib/format.ts';
import type { SessionTotals } from '#session/views.ts';

/** Formats a session's cost: the sum of known charges, and the number of unknown and unreported ones. None is no charge yet. */
export function totalCost(
  totals: Pick<SessionTotals, 'turns' | 'costCents' | 'currency' | 'unknownCosts' | 'unreportedCosts'>,
): string {
  const { turns, costCents, currency, unknownCosts, unreportedCosts } = totals;
  if (turns > 0 && unreportedCosts >= turns) return 'not reported';
  if (turns > 0 && unknownCosts + unreportedCosts >= turns) return 'unknown';
  const parts = [
    currency === null && costCents === 0 ? null : money(costCents, currency),
    unknownCosts > 0 ? `${unknownCosts} unknown` : null,
    unreportedCosts > 0 ? `${unreportedCosts} not reported` : null,
  ];
  return parts.filter((part) => part !== null).join(' + ') || 'not billed yet';
}

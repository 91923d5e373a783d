import { money } from '#lib/format.ts';
import type { SessionTotals } from '#session/views.ts';

/** Formats a session's cost: the sum of known charges, and the number of unknown and unreported ones. */
export function totalCost(
  totals: Pick<SessionTotals, 'turns' | 'costCents' | 'currency' | 'unknownCosts' | 'unreportedCosts'>,
): string {
  const { turns, costCents, currency, unknownCosts, unreportedCosts } = totals;
  if (turns > 0 && unreportedCosts >= turns) return 'not reported';
  if (turns > 0 && unknownCosts + unreportedCosts >= turns) return 'unknown';
  const rest = [
    unknownCosts > 0 ? `${unknownCosts} unknown` : null,
    unreportedCosts > 0 ? `${unreportedCosts} not reported` : null,
  ];
  return [money(costCents, currency ?? 'EUR'), ...rest.filter((part) => part !== null)].join(' + ');
}

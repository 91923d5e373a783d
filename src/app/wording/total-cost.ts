import { money } from '#lib/format.ts';
import type { SessionTotals } from '#session/views.ts';

/** What a session cost, in words: the sum of what is known, and how many charges are in no sum and why. */
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

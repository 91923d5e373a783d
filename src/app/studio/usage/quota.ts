import { count, money } from '#lib/format.ts';
import type { PricePlan } from '#protocol/core/endpoint.ts';

/** What a session's characters are of a month's quota, in words; beyond the quota, what the rest costs. */
export function quotaWords(plan: PricePlan, characters: number): string {
  const { charactersPerMonth, overageCentsPerMillion, currency } = plan;
  const over = characters - charactersPerMonth;
  const share = `${percent(characters / charactersPerMonth)} of ${count(charactersPerMonth)} characters a month`;
  if (over <= 0) return `${share}, ${count(charactersPerMonth - characters)} left`;
  if (overageCentsPerMillion === null) return `${share}, ${count(over)} too many`;
  const cents = (over / 1_000_000) * overageCentsPerMillion;
  return `${share}, ${count(over)} beyond it for ${money(cents, currency)}`;
}

/** How often the same could be spoken in a month; null before anything was. */
export const timesInMonth = (plan: PricePlan, characters: number): number | null =>
  characters > 0 ? Math.floor(plan.charactersPerMonth / characters) : null;

/** `0.012 %`, `3.4 %`, `120 %`: two figures that mean something. */
function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0 %';
  return `${value >= 99.5 ? value.toFixed(0) : value.toPrecision(2)} %`;
}

import { count, money, plausibly } from '#lib/format.ts';
import type { PricePlan } from '#protocol/core/endpoint.ts';

const MAX_PERCENT = 1e9;

/** Describes a session's share of a monthly quota, and the price of the characters beyond it. */
export function quotaWords(plan: PricePlan, characters: number): string {
  const { charactersPerMonth, overageCentsPerMillion, currency } = plan;
  const over = characters - charactersPerMonth;
  const price = money(((overageCentsPerMillion ?? 0) * over) / 1_000_000, currency);
  if (charactersPerMonth === 0 && overageCentsPerMillion !== null) {
    const perMillion = `no characters included; ${money(overageCentsPerMillion, currency)} per million`;
    return over === 0 ? perMillion : `${perMillion}, ${price} for ${count(over)}`;
  }
  const share = `${percent(characters / charactersPerMonth)} of ${count(charactersPerMonth)} characters a month`;
  if (over <= 0) return `${share}, ${count(charactersPerMonth - characters)} left`;
  if (overageCentsPerMillion === null) return `${share}, ${count(over)} too many`;
  return `${share}, ${count(over)} beyond it for ${price}`;
}

/** Returns how often the session fits into a monthly quota; null before the first character, and without a quota. */
export const timesInMonth = (plan: PricePlan, characters: number): number | null =>
  characters > 0 && plan.charactersPerMonth > 0 ? Math.floor(plan.charactersPerMonth / characters) : null;

/** Formats `0.012 %`, `3.4 %`, `120 %`: two significant digits below 100 %. */
function percent(share: number): string {
  const value = share * 100;
  if (value === 0) return '0 %';
  return plausibly(
    value,
    MAX_PERCENT,
    (plausible) => `${plausible >= 99.5 ? plausible.toFixed(0) : plausible.toPrecision(2)} %`,
  );
}

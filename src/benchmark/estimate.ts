import { largest } from '#lib/collections/arrays.ts';
import { connectionKinds, type Plan, type PlanConfiguration } from './plan.ts';

/** Pace and price of a configuration before its first run. */
export interface Rates {
  /** Null if nothing was measured yet. */
  charactersPerSecond: number | null;
  /** Null is unknown. */
  price: { centsPerSecond: number; currency: string; basis: 'measured' | 'published' } | null;
  /** The server reports no charge; characters count against a monthly quota. */
  byPlan: boolean;
}

export type RatesOf = (configuration: PlanConfiguration) => Rates;

/** Pace of English read aloud. */
const ASSUMED_CHARACTERS_PER_SECOND = 15;
/** Time to open a session, its sound output and its connection, plus the wait. */
const OVERHEAD_MS = 1500;

export const secondsOf = (text: string, rates: Rates): number =>
  text.length / (rates.charactersPerSecond ?? ASSUMED_CHARACTERS_PER_SECOND);

/** Time and cost of a plan, warm-ups included. */
export interface Estimate {
  runs: number;
  warmUps: number;
  characters: number;
  audioSeconds: number;
  durationMs: number;
  /** One for each currency; empty if no price is known. */
  costs: readonly { cents: number; currency: string; basis: 'measured' | 'published' }[];
  /** Names of configurations without a known price. */
  unpriced: readonly string[];
  /** Configurations whose characters count against a monthly quota. */
  byPlan: readonly { name: string; characters: number }[];
  /** Seconds and costs are a guess, because some configuration has no measured pace. */
  isAssumed: boolean;
  /** Limits of the budget that the whole plan would exceed. */
  beyond: readonly ('cents' | 'audioSeconds' | 'characters')[];
  /** There is a budget in cents, and some configuration has no known price. */
  cannotHoldCents: boolean;
  /** There is a budget in cents, and prices are in several currencies. */
  mixesCurrencies: boolean;
}

export function estimate(plan: Plan, ratesOf: RatesOf): Estimate {
  const kinds = connectionKinds(plan).length;
  const costs = new Map<string, { cents: number; basis: 'measured' | 'published' }>();
  const unpriced: string[] = [];
  const byPlan: { name: string; characters: number }[] = [];
  let characters = 0;
  let audioSeconds = 0;
  let isAssumed = false;
  for (const configuration of plan.configurations) {
    const rates = ratesOf(configuration);
    const times = plan.texts.map((text, at) => ({
      text: text.text,
      times: plan.runs * kinds + (at === 0 ? plan.warmUps : 0),
    }));
    const chars = times.reduce((sum, each) => sum + each.text.length * each.times, 0);
    const seconds = times.reduce((sum, each) => sum + secondsOf(each.text, rates) * each.times, 0);
    characters += chars;
    audioSeconds += seconds;
    isAssumed ||= rates.charactersPerSecond === null;
    if (rates.byPlan) byPlan.push({ name: configuration.name, characters: chars });
    else if (!rates.price) unpriced.push(configuration.name);
    if (rates.price) {
      const { centsPerSecond, currency, basis } = rates.price;
      const before = costs.get(currency);
      costs.set(currency, {
        cents: (before?.cents ?? 0) + seconds * centsPerSecond,
        basis: before?.basis === 'published' ? 'published' : basis,
      });
    }
  }
  const runs = plan.texts.length * plan.configurations.length * kinds * plan.runs;
  const warmUps = plan.configurations.length * plan.warmUps;
  const { budget } = plan;
  const cents = largest(
    [...costs.values()].map((cost) => cost.cents),
    0,
  );
  const needed = { cents, audioSeconds, characters };
  return {
    runs,
    warmUps,
    characters,
    audioSeconds,
    durationMs: audioSeconds * 1000 + (runs + warmUps) * (OVERHEAD_MS + plan.pauseMs),
    costs: [...costs].map(([currency, cost]) => ({ currency, ...cost })),
    unpriced,
    byPlan,
    isAssumed,
    beyond: (['cents', 'audioSeconds', 'characters'] as const).filter(
      (limit) => needed[limit] > (budget[limit] ?? Number.POSITIVE_INFINITY),
    ),
    cannotHoldCents: budget.cents !== undefined && unpriced.length + byPlan.length > 0,
    mixesCurrencies: budget.cents !== undefined && costs.size > 1,
  };
}

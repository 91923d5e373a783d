import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { SessionTotals, TurnState, TurnUsage } from '../views.ts';
import type { Bill } from './contexts.ts';

/** What a turn adds to the totals of the session. */
export interface TurnSum {
  state: TurnState;
  chars: number;
  audioSeconds: number;
  usage: TurnUsage;
  billing: Endpoint['billing'];
}

/** Where contexts are billed and not turns, the charges come from `contexts`. */
export function sessionTotals(turns: Iterable<TurnSum>, contexts: Iterable<Bill> = []): SessionTotals {
  const totals: SessionTotals = {
    turns: 0,
    audioSeconds: 0,
    characters: 0,
    costCents: 0,
    currency: null,
    unknownCosts: 0,
    unreportedCosts: 0,
    planCharacters: 0,
  };
  for (const { state, chars, audioSeconds, usage, billing } of turns) {
    totals.turns += 1;
    const told = typeof usage === 'object' ? usage : null;
    totals.audioSeconds += told?.audioSeconds ?? audioSeconds;
    totals.characters += told?.characters ?? chars;
    totals.costCents += told?.costCents ?? 0;
    totals.currency = told?.currency ?? totals.currency;
    if (billing === 'none') {
      totals.unreportedCosts += 1;
      totals.planCharacters += told?.characters ?? 0;
    } else if (isCostUnknown(state, audioSeconds, usage)) totals.unknownCosts += 1;
  }
  for (const { billed, unknownCosts } of contexts) {
    totals.costCents += billed?.costCents ?? 0;
    totals.currency = billed?.currency ?? totals.currency;
    totals.unknownCosts += unknownCosts;
  }
  return totals;
}

/**
 * A turn that was cancelled or lost is charged for what was generated and nobody tells how much (decision 2, question
 * 14); a failed generation is not charged (decision 2.11).
 */
function isCostUnknown(state: TurnState, audioSeconds: number, usage: TurnSum['usage']): boolean {
  if (usage === 'pending' || usage === 'withContext') return false;
  if (usage !== 'unreported') return usage.costCents === null;
  return state === 'ended' || ((state === 'cancelled' || state === 'lost') && audioSeconds > 0);
}

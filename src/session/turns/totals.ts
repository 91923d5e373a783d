import { audioSecondsOf } from '#trace/speed.ts';
import type { ContextView, SessionTotals } from '../views.ts';
import type { SessionTurn } from './session-turn.ts';

/** The part of a turn that counts towards the totals. */
export type CountedTurn = Pick<
  SessionTurn,
  'state' | 'characters' | 'samples' | 'sampleRate' | 'usage' | 'billing'
>;

/** The known charges of a context, over all its openings. */
export type ContextBill = Pick<ContextView, 'billed' | 'unknownCosts'>;

/** Returns the sums over a session. Where the server bills contexts instead of turns, the charges come from `contexts`. */
export function sessionTotals(
  turns: Iterable<CountedTurn>,
  contexts: Iterable<ContextBill> = [],
): SessionTotals {
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
  for (const turn of turns) {
    const reported = typeof turn.usage === 'object' ? turn.usage : null;
    totals.turns += 1;
    totals.audioSeconds += reported?.audioSeconds ?? audioSecondsOf(turn);
    totals.characters += reported?.characters ?? turn.characters;
    totals.costCents += reported?.costCents ?? 0;
    totals.currency = reported?.currency ?? totals.currency;
    if (turn.billing === 'none') {
      totals.unreportedCosts += 1;
      totals.planCharacters += reported?.characters ?? 0;
    } else if (isCostUnknown(turn)) totals.unknownCosts += 1;
  }
  for (const { billed, unknownCosts } of contexts) {
    totals.costCents += billed?.costCents ?? 0;
    totals.currency = billed?.currency ?? totals.currency;
    totals.unknownCosts += unknownCosts;
  }
  return totals;
}

/** Cancelled and lost turns cost an unknown amount, failed ones nothing (wire-bill-1). */
function isCostUnknown(turn: CountedTurn): boolean {
  const { state, usage } = turn;
  if (usage === 'pending' || usage === 'withContext') return false;
  if (usage !== 'unreported') return usage.costCents === null;
  return state === 'ended' || ((state === 'cancelled' || state === 'lost') && audioSecondsOf(turn) > 0);
}

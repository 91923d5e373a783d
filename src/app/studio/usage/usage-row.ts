import { count, money, seconds } from '#lib/format.ts';
import type { TurnView } from '#session/views.ts';

const NOT_REPORTED = 'not reported';

const all = (word: string) => ({ model: word, audio: word, characters: word, cost: word });

/** Formats a turn's usage. Unknown and pending figures are words, never 0. */
export function usageRow(turn: Pick<TurnView, 'usage' | 'state' | 'billing'>): ReturnType<typeof all> {
  const row = reported(turn);
  if (turn.billing !== 'none') return row;
  const isNamed = typeof turn.usage === 'object' && turn.usage.modelId !== null;
  return { ...row, cost: NOT_REPORTED, ...(isNamed ? {} : { model: NOT_REPORTED }) };
}

function reported(turn: Pick<TurnView, 'usage' | 'state'>): ReturnType<typeof all> {
  if (turn.usage === 'unreported') return all('unknown');
  if (turn.usage === 'withContext') return { ...all('–'), cost: 'with its context' };
  if (turn.usage === 'pending') {
    const over = turn.state === 'failed' || turn.state === 'lost' || turn.state === 'cancelled';
    return all(over ? 'unknown' : 'pending');
  }
  return {
    model: turn.usage.modelId ?? 'unknown',
    audio: seconds(turn.usage.audioSeconds),
    characters: count(turn.usage.characters),
    cost: money(turn.usage.costCents, turn.usage.currency),
  };
}

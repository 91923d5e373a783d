import type { TurnView } from '../../session/model.ts';
import { count, money, seconds } from '../format.ts';

export interface UsageRow {
  model: string;
  audio: string;
  characters: string;
  cost: string;
}

const all = (word: string): UsageRow => ({ model: word, audio: word, characters: word, cost: word });

/** A turn's usage in words. What is not known is said to be unknown or still to come, never 0. */
export function usageRow(turn: Pick<TurnView, 'usage' | 'state'>): UsageRow {
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

import type { TurnView } from '#session/views.ts';
import { partsOf, positionAt, wordsOf } from '../studio/transcript/words.ts';

/**
 * Returns the text of a turn from the word on that leaves the speakers at a sample, so that another voice can go on with
 * it. Null where nothing is left, or where the page does not have the whole text.
 */
export function restOfTurn(turn: TurnView, sample: number): string | null {
  if (turn.cutChars > 0 || turn.chunks.some(({ cutChars }) => cutChars > 0)) return null;
  if (sample < 0) return turn.text.trim() === '' ? null : turn.text;
  const parts = partsOf(turn);
  const { spoken, current } = positionAt(wordsOf(parts), sample, turn.sampleRate ?? 0);
  const from = current ?? spoken;
  const segments = parts.flatMap(({ segments }) => segments);
  const at = segments.findIndex((segment) => segment.kind === 'word' && segment.index >= from);
  if (at < 0) return null;
  return segments
    .slice(at)
    .map(({ text }) => text)
    .join('');
}

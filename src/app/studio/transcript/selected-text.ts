import type { Selected } from '../../session-client/selection.ts';
import { type TranscriptPart, wordsOf } from './words.ts';

/** The selection in a turn's text: a word by its index in the turn, a chunk, or the whole text. */
export type SelectedText = { word: number } | { chunk: number } | 'turn';

/** Returns the selection in the text of a turn; null where it is not in this turn. */
export function selectedTextOf(
  selected: Selected | null,
  turn: number,
  parts: readonly TranscriptPart[],
): SelectedText | null {
  if (selected?.turn !== turn) return null;
  if (selected.kind === 'turn') return 'turn';
  if (selected.kind === 'underrun' || selected.chunk === null) return null;
  const part = parts.find(({ chunk }) => chunk === selected.chunk);
  if (!part) return null;
  if (selected.kind !== 'word') return { chunk: selected.chunk };
  const word = wordsOf([part])[selected.word];
  return word ? { word: word.index } : { chunk: selected.chunk };
}

/** Returns the selection of a word for all panels; that of its turn while no chunk contains the word. */
export function selectionOf(word: number, turn: number, parts: readonly TranscriptPart[]): Selected {
  for (const part of parts) {
    const place = wordsOf([part]).findIndex(({ index }) => index === word);
    if (place < 0) continue;
    if (part.chunk === null) return { kind: 'turn', turn };
    return part.timed
      ? { kind: 'word', turn, chunk: part.chunk, word: place }
      : { kind: 'chunk', turn, chunk: part.chunk };
  }
  return { kind: 'turn', turn };
}

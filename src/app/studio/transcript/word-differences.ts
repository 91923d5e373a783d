import type { TurnView } from '#session/views.ts';
import type { AlignedWord } from '#text/spoken/alignment.ts';
import type { CheckedSpeech } from '../../transcription/check-speech.ts';
import { partsOf, wordsOf } from './words.ts';

/** A word that was not heard as it is written. */
export interface WordDifference {
  kind: Exclude<AlignedWord['kind'], 'same'>;
  /** Empty for an added word. */
  expected: string;
  /** Empty for a missing word. */
  heard: string;
  /** Its index in the transcript; of an added one the word behind it. Null where the transcript has another text. */
  word: number | null;
  /** Where it is in the sound: as the recogniser says, else by the times of the transcript; null where nobody says. */
  sample: number | null;
}

/** Returns the differences of a checked turn at their places. */
export function wordDifferences(
  { aligned, expected, heard, times }: CheckedSpeech,
  turn: Pick<TurnView, 'text' | 'sampleRate' | 'samples' | 'chunks'>,
): WordDifference[] {
  const { text, sampleRate, samples } = turn;
  const parts = partsOf(turn);
  const shown = parts.flatMap(({ segments }) => segments.map((segment) => segment.text)).join('');
  const words = shown === text ? wordsOf(parts) : [];
  return aligned.flatMap(({ kind, ...at }) => {
    if (kind === 'same') return [];
    const written = expected[at.expected] ?? expected.at(-1);
    const said = kind === 'missing' ? undefined : heard[at.heard];
    const word = words.findLast(({ offset }) => offset <= (written?.from ?? 0));
    const time = said && times.findLast(({ offset }) => offset <= said.from);
    const sample = time ? (time.startMs * (sampleRate ?? 0)) / 1000 : word?.startSample;
    return {
      kind,
      expected: kind === 'added' ? '' : (written?.written ?? ''),
      heard: said?.written ?? '',
      word: word?.index ?? null,
      sample: sample !== undefined && sample <= samples ? sample : null,
    };
  });
}

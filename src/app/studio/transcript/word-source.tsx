import type { Chunk } from '#trace/chunks.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

/** Whence the times of words are: sent by the server, found in the sound, or worked out from their lengths. */
export type WordSource = 'server' | 'measured' | 'estimated';

/** Returns the least exact source of some chunks. */
export function wordSourceOf(
  chunks: readonly Pick<Chunk, 'words' | 'wordsAreEstimated' | 'wordsAreMeasured'>[],
): WordSource {
  const unsaid = chunks.filter(({ words, wordsAreEstimated }) => words === null || wordsAreEstimated);
  if (unsaid.length === 0) return 'server';
  return unsaid.every(({ wordsAreMeasured }) => wordsAreMeasured) ? 'measured' : 'estimated';
}

/** Says so where the times are not the server's. */
export function WordSourceNote({ source }: { source: WordSource }) {
  if (source === 'server') return null;
  return (
    <Defined definition={DEFINITIONS[source]}>
      <span className="whitespace-nowrap">words {source}</span>
    </Defined>
  );
}

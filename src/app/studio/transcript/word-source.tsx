import type { Chunk } from '#trace/chunks.ts';
import type { WordSource } from '#trace/word-timings.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

/** Returns the least exact source of some chunks. */
export function wordSourceOf(chunks: readonly Pick<Chunk, 'words' | 'wordSource'>[]): WordSource {
  const unsaid = chunks.filter(({ words, wordSource }) => words === null || wordSource !== 'server');
  if (unsaid.length === 0) return 'server';
  return unsaid.every(({ wordSource }) => wordSource === 'measured') ? 'measured' : 'estimated';
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

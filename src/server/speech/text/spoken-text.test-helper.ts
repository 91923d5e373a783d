import type { WrittenWord } from '#lib/text/words.ts';
import type { SpokenRun } from './part-builder.ts';
import { spokenParts } from './spoken-text.ts';

/** All parts of a spoken text at once. */
export function toSpokenText(...args: Parameters<typeof spokenParts>): {
  runs: SpokenRun[];
  words: WrittenWord[];
} {
  const parts = [...spokenParts(...args)];
  return { runs: parts.flatMap(({ runs }) => runs), words: parts.flatMap(({ words }) => words) };
}

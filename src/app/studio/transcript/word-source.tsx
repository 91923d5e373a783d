import { SOURCE_NAMES, type WordSource } from '#trace/words/word-timings.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

/** Says whence the times of words are. */
export const WordSourceNote = ({ source }: { source: WordSource }) => (
  <Defined definition={DEFINITIONS[source]}>
    <span className="whitespace-nowrap">words {SOURCE_NAMES[source]}</span>
  </Defined>
);

import { SOURCE_NAMES, type WordSource } from '#trace/words/word-timings.ts';
import { Defined } from '../../ui/defined.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';

/** Says so where the times are not the server's. */
export function WordSourceNote({ source }: { source: WordSource }) {
  if (source === 'server') return null;
  return (
    <Defined definition={DEFINITIONS[source]}>
      <span className="whitespace-nowrap">words {SOURCE_NAMES[source]}</span>
    </Defined>
  );
}

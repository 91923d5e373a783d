import { counted } from '#lib/format.ts';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import { FindingNote } from './finding-note.tsx';

export interface FindingNotesProps {
  findings: readonly FoundFinding[];
  /** Further findings of the frame, of rules that are broken so often that only their first ones are kept. */
  unkept: number;
}

/** The findings of a frame, above its payload. */
export function FindingNotes({ findings, unkept }: FindingNotesProps) {
  return (
    <>
      {findings.length > 0 && (
        <ul aria-label="Findings of this frame" className="flex flex-col gap-2">
          {findings.map((found) => (
            <FindingNote key={found.number} found={found} />
          ))}
        </ul>
      )}
      {unkept > 0 && (
        <p className="text-12 text-text-muted">
          {counted(unkept, findings.length > 0 ? 'further finding' : 'finding')} in this frame: of a rule that
          is broken very often, only the first findings are kept in full.
        </p>
      )}
    </>
  );
}

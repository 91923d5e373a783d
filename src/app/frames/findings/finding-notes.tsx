import type { FoundFinding } from '../../../session/recording/check-view.ts';
import { FindingNote } from './finding-note.tsx';

/** What is wrong with a frame, above its payload. */
export const FindingNotes = ({ findings }: { findings: readonly FoundFinding[] }) => (
  <ul aria-label="Findings of this frame" className="flex flex-col gap-2">
    {findings.map((found) => (
      <FindingNote key={found.number} found={found} />
    ))}
  </ul>
);

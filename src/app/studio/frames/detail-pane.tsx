import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { numberOf } from '../../recordings/frame-of.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { FrameDetail } from './detail/frame-detail.tsx';
import { ShowIn } from './detail/show-in.tsx';
import { useFrameOutcome } from './detail/use-frame-outcome.ts';
import { fieldMarks } from './findings/field-marks.ts';
import { FindingNotes } from './findings/finding-notes.tsx';
import { useFindings } from './findings/use-findings.ts';
import { useEntry } from './use-entry.ts';
import { useFrames } from './view/frames-store.ts';
import { framesView } from './view/frames-view.ts';

/** The selected frame, whole. */
export function DetailPane({ onClose }: { onClose: () => void }) {
  const index = useFrames((state) => state.selection?.index ?? null);
  const entry = useEntry(index);
  const withAdvice = useFrames((state) => state.withAdvice);
  const { findings: found, of } = useFindings(entry?.index ?? null);
  const outcome = useFrameOutcome(entry?.kind === 'audio' && entry.direction === 'in' ? entry.index : null);
  const isLive = useRecordings((state) => state.shown.isLive);
  if (!entry) return null;
  const findings = withAdvice ? found : found.filter(({ finding }) => finding.severity !== 'advice');
  const [word = null] = outcome?.words ?? [];
  return (
    <FrameDetail
      entry={entry}
      outcome={outcome}
      notes={
        (findings.length > 0 || of > found.length) && (
          <FindingNotes findings={findings} unkept={of - found.length} />
        )
      }
      marks={fieldMarks(findings.map(({ finding }) => finding))}
      tools={
        <>
          <IconButton
            size="small"
            icon={ChevronUp}
            label="Frame before (k)"
            onClick={() => framesView.move(-1, 0)}
          />
          <IconButton
            size="small"
            icon={ChevronDown}
            label="Next frame (j)"
            onClick={() => framesView.move(1, 0)}
          />
          <IconButton size="small" icon={X} label="Close the detail (Esc)" onClick={onClose} />
        </>
      }
    >
      {isLive && entry.turn !== null && (
        <ShowIn frame={numberOf(entry.index)} turn={entry.turn} chunk={entry.chunk} word={word} />
      )}
    </FrameDetail>
  );
}

import { X } from 'lucide-react';
import { counted } from '#lib/format.ts';
import type { FrameOutcomeKind } from '#recordings/view/frame-outcome.ts';
import { hasFramesOf, numberOf } from '../../recordings/frame-of.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { FrameDetail } from './detail/frame-detail.tsx';
import { ShowIn } from './detail/show-in.tsx';
import { fieldMarks } from './findings/field-marks.ts';
import { totalOf } from './findings/finding-count.ts';
import { FindingNote } from './findings/finding-note.tsx';
import { useFrames } from './view/frames-store.ts';
import { framesView } from './view/frames-view.ts';
import { StepButtons } from './view/step-buttons.tsx';
import { useAnswer } from './view/use-answer.ts';

const MOVING: ReadonlySet<FrameOutcomeKind> = new Set<FrameOutcomeKind>(['waiting', 'hearing']);

export function DetailPane({ onClose }: { onClose: () => void }) {
  const index = useFrames((state) => state.selection?.index ?? null);
  const recording = useRecordings((state) => state.shown.recording?.id ?? null);
  // Shows the frame before until this one is read.
  const entries = useAnswer(`${recording}`, index, index === null ? null : (calls) => calls.entries([index]));
  const [entry] = entries ?? [];
  const withAdvice = useFrames((state) => state.withAdvice);
  const client = useSessionClient();
  const isOfSession = useRecordings(({ shown }) => hasFramesOf(client, shown));
  // The check may find more in the frame as the recording goes on.
  const total = useRecordings((state) => totalOf(state.check.groups));
  const checked = useRecordings((state) => state.check.recording);
  const answer = useAnswer(
    `${checked} ${entry?.index}`,
    total,
    entry && total > 0 ? (calls) => calls.findings({ entries: [entry.index] }) : null,
  );
  const isAudio = entry?.kind === 'audio' && entry.direction === 'in';
  const outcome = useAnswer(
    `${recording} ${entry?.index}`,
    null,
    isAudio ? (calls) => calls.frameOutcome(entry.index) : null,
    (of) => of === null || !MOVING.has(of.kind),
  );
  if (!entry) return null;
  const found = answer?.findings ?? [];
  const unkept = (answer?.of ?? 0) - found.length;
  const findings = withAdvice ? found : found.filter(({ finding }) => finding.severity !== 'advice');
  const [word = null] = outcome?.words ?? [];
  return (
    <FrameDetail
      entry={entry}
      outcome={outcome}
      notes={
        (findings.length > 0 || unkept > 0) && (
          <>
            {findings.length > 0 && (
              <ul aria-label="Findings of this frame" className="flex flex-col gap-2">
                {findings.map((one) => (
                  <FindingNote key={one.number} found={one} />
                ))}
              </ul>
            )}
            {unkept > 0 && (
              <p className="text-12 text-text-muted">
                {counted(unkept, findings.length > 0 ? 'further finding' : 'finding')} in this frame: of a
                rule that is broken very often, only the first findings are kept in full.
              </p>
            )}
          </>
        )
      }
      marks={fieldMarks(findings.map(({ finding }) => finding))}
      tools={
        <>
          <StepButtons
            labels={['Frame before (k)', 'Next frame (j)']}
            onStep={(step) => framesView.move(step, 0)}
          />
          <IconButton size="small" icon={X} label="Close the detail (Esc)" onClick={onClose} />
        </>
      }
    >
      {isOfSession && entry.turn !== null && (
        <ShowIn frame={numberOf(client, entry.index)} turn={entry.turn} chunk={entry.chunk} word={word} />
      )}
    </FrameDetail>
  );
}

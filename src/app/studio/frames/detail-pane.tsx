import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted } from '#lib/format.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import type { FoundFinding } from '#recordings/view/check-view.ts';
import type { FrameOutcome, FrameOutcomeKind } from '#recordings/view/frame-outcome.ts';
import { numberOf } from '../../recordings/frame-of.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { FrameDetail } from './detail/frame-detail.tsx';
import { ShowIn } from './detail/show-in.tsx';
import { fieldMarks } from './findings/field-marks.ts';
import { FindingNote } from './findings/finding-note.tsx';
import { useFindings } from './findings/use-findings.ts';
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

/** How often an outcome that is not final is queried again. */
const ASK_EVERY_MS = 400;
const OPEN: ReadonlySet<FrameOutcomeKind> = new Set<FrameOutcomeKind>(['waiting', 'hearing']);

/** The outcome of an audio frame, refreshed until it is final; null until it is known, and for other entries. */
function useFrameOutcome(index: number | null): FrameOutcome | null {
  const recording = useRecordings((state) => state.shown.recording?.id ?? null);
  const [found, setFound] = useState<{ recording: string | null; outcome: FrameOutcome } | null>(null);
  useEffect(() => {
    if (index === null) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const outcome = await recordingsLink.query(({ frameOutcome }) => frameOutcome(index), null);
      if (isOver || !outcome) return;
      setFound({ recording, outcome });
      if (OPEN.has(outcome.kind)) timer = setTimeout(ask, ASK_EVERY_MS);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [index, recording]);
  return found?.recording === recording && found.outcome.index === index ? found.outcome : null;
}

/**
 * The entry of what is shown, with its payload. Until it has been fetched, the one before; null where there was none,
 * and where this one cannot be read.
 */
function useEntry(index: number | null): ShownEntry | null {
  const recording = useRecordings((state) => state.shown.recording?.id ?? null);
  const [found, setFound] = useState<{ recording: string | null; entry: ShownEntry } | null>(null);
  useEffect(() => {
    if (index === null) return;
    let isOver = false;
    void recordingsLink
      .query(({ entries }) => entries([index]), null)
      .then((entries) => {
        if (isOver) return;
        const entry = entries?.[0];
        if (entry) setFound({ recording, entry });
        else if (!entries) setFound(null);
      });
    return () => {
      isOver = true;
    };
  }, [index, recording]);
  return index !== null && found?.recording === recording ? found.entry : null;
}

interface FindingNotesProps {
  findings: readonly FoundFinding[];
  /** Further findings of the frame, of rules that are broken so often that only their first ones are kept. */
  unkept: number;
}

/** The findings of a frame, above its payload. */
function FindingNotes({ findings, unkept }: FindingNotesProps) {
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

import { useEffect, useState } from 'react';
import type { FrameOutcome, FrameOutcomeKind } from '#recordings/view/frame-outcome.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';

/** How often an outcome that is not final is queried again. */
const ASK_EVERY_MS = 400;
const OPEN: ReadonlySet<FrameOutcomeKind> = new Set<FrameOutcomeKind>(['waiting', 'hearing']);

/** The outcome of an audio frame, refreshed until it is final; null until it is known, and for other entries. */
export function useFrameOutcome(index: number | null): FrameOutcome | null {
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

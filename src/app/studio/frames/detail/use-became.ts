import { useEffect, useState } from 'react';
import type { Became, Fate } from '#recordings/view/became.ts';
import { recordingsLink } from '../../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../../recordings-client/recordings-store.ts';

/** What becomes of a frame is asked again so often, until it is known. */
const ASK_EVERY_MS = 400;
const OPEN: ReadonlySet<Fate> = new Set<Fate>(['waiting', 'hearing']);

/** What became of the samples in an audio entry, also while it is still to be heard; null until it is known, or of no audio. */
export function useBecame(index: number | null): Became | null {
  const recording = useRecordings((state) => state.shown.recording?.id ?? null);
  const [found, setFound] = useState<{ recording: string | null; became: Became } | null>(null);
  useEffect(() => {
    if (index === null) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const became = await recordingsLink.became(index);
      if (isOver || !became) return;
      setFound({ recording, became });
      if (OPEN.has(became.fate)) timer = setTimeout(ask, ASK_EVERY_MS);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [index, recording]);
  return found?.recording === recording && found.became.index === index ? found.became : null;
}

import { useEffect, useState } from 'react';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';

/**
 * The entry of what is shown, with its payload. Until it has been fetched, the one before; null where there was none,
 * and where this one cannot be read.
 */
export function useEntry(index: number | null): ShownEntry | null {
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

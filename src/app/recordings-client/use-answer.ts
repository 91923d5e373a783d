import { useEffect, useEffectEvent, useState } from 'react';
import type { Remote } from '#lib/worker-calls.ts';
import type { RecordingsCalls } from '#recordings/recordings.ts';
import { recordingsLink } from './recordings-link.ts';

/** Interval between two queries of an answer that is not final. */
const QUERY_EVERY_MS = 400;

/**
 * Returns the answer of the recordings worker; null until it is known, and where it cannot be read.
 * @param key names the subject; the answer for another key is not shown
 * @param version queries again when it changes, and keeps the earlier answer meanwhile
 * @param query null: there is nothing to query
 */
export function useAnswer<Answer>(
  key: string,
  version: unknown,
  query: ((calls: Remote<RecordingsCalls>) => Promise<Answer>) | null,
  isFinal: (answer: Answer) => boolean = () => true,
): Answer | null {
  const [found, setFound] = useState<{ key: string; answer: Answer | null } | null>(null);
  const ask = useEffectEvent(async () => query && (await recordingsLink.query(query, null)));
  const isDone = useEffectEvent(isFinal);
  const hasQuery = query !== null;
  useEffect(() => {
    void version;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      const answer = await ask();
      if (isOver) return;
      setFound({ key, answer });
      if (answer !== null && !isDone(answer)) timer = setTimeout(run, QUERY_EVERY_MS);
    };
    if (hasQuery) void run();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, version, hasQuery]);
  return hasQuery && found?.key === key ? found.answer : null;
}

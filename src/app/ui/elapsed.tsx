import { useEffect, useState } from 'react';
import { milliseconds } from '#lib/format.ts';
import { wallMs } from '#lib/wall-clock.ts';

/** Returns the wall clock, and renders at an interval while something moves. */
export function useNow(everyMs: number, isMoving = true): number {
  const [nowMs, setNowMs] = useState(wallMs);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(() => setNowMs(wallMs()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isMoving]);
  return nowMs;
}

/** Counts up the time since a moment: `0.4 s`. */
export function Elapsed({ sinceMs }: { sinceMs: number }) {
  const nowMs = useNow(100);
  return <span className="font-mono">{(Math.max(0, nowMs - sinceMs) / 1000).toFixed(1)} s</span>;
}

/** A wait: its time once it is known, else the time since its start, else a dash. */
export const WaitTime = ({ waitMs, sinceMs }: { waitMs: number | null; sinceMs: number | null }) =>
  waitMs !== null ? milliseconds(Math.round(waitMs)) : sinceMs !== null ? <Elapsed sinceMs={sinceMs} /> : '–';

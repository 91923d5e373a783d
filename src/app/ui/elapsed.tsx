import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';

/** Counts up the time since a moment: `0.4 s`. */
export function Elapsed({ sinceMs }: { sinceMs: number }) {
  const [nowMs, setNowMs] = useState(wallMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(wallMs()), 100);
    return () => clearInterval(timer);
  }, []);
  return <span className="font-mono">{(Math.max(0, nowMs - sinceMs) / 1000).toFixed(1)} s</span>;
}

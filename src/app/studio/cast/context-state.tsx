import { useEffect, useState } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import type { ContextView } from '#session/views.ts';
import { cx } from '../../ui/cx.ts';

/** State of a context on the server. An idle one counts down to its closing. */
export function ContextState({
  context,
  isKeptOpen,
}: {
  context: ContextView | undefined;
  isKeptOpen: boolean;
}) {
  if (!context) return <span className="shrink-0">not open</span>;
  switch (context.state) {
    case 'opening':
      return <span className="shrink-0 text-waiting">opening</span>;
    case 'closing':
      return <span className="shrink-0 text-waiting">closing</span>;
    case 'closed':
      return <span className="shrink-0">closed</span>;
    case 'refused':
      return <span className="shrink-0 text-failed">refused</span>;
    case 'open':
      if (isKeptOpen) {
        return (
          <span className="shrink-0 text-live">
            kept open{context.keepAlives > 0 && <span className="font-mono"> · {context.keepAlives}</span>}
          </span>
        );
      }
      return context.idleAtMs === null ? (
        <span className="shrink-0 text-live">busy</span>
      ) : (
        <Countdown toMs={context.idleAtMs} />
      );
  }
}

/** Below this the end is near. */
const NEAR_S = 5;

function Countdown({ toMs }: { toMs: number }) {
  const [nowMs, setNowMs] = useState(wallMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(wallMs()), 250);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, Math.ceil((toMs - nowMs) / 1000));
  return (
    <span className={cx('shrink-0', left <= NEAR_S && 'text-waiting')}>
      idle, closes in <span className="font-mono">{left} s</span>
    </span>
  );
}

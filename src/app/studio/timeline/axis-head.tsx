import { useEffect, useState } from 'react';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { Defined } from '../../ui/defined.tsx';

const WALL =
  'The clock on the wall. Text, chunks, audio frames and the buffer stand where they happened on it, counted from the first text of the turn that is shown.';
const AUDIO =
  'The audio clock counts the samples of each turn as they leave the speakers, and stands still while there are none. The line shows where it ran.';
const DRIFT =
  'By how much the audio clock has run ahead of the wall clock (+) or fallen behind it (−) since the sound output began to run: two crystals never agree. What it stood still for is not counted.';

/** What the two rows of the axis are. */
export function AxisHead({ state, turnName }: { state: TimelineState; turnName: string }) {
  const driftMs = useDrift(state);
  return (
    <div className="sticky top-0 z-2 grid grid-rows-2 border-r border-b border-border bg-surface px-2 text-12 wide:pr-3 wide:pl-5">
      <p className="flex min-w-0 items-center gap-2">
        <Defined definition={WALL} className="shrink-0 text-text-muted">
          Wall clock
        </Defined>
        <span className="ml-auto truncate text-text-subtle max-wide:hidden">{turnName}</span>
      </p>
      <p className="flex min-w-0 items-center gap-2">
        <Defined definition={AUDIO} className="shrink-0 text-text-muted">
          Audio clock
        </Defined>
        {driftMs !== null && (
          <Defined definition={DRIFT} className="ml-auto truncate text-text-subtle max-wide:hidden">
            drift <span className="font-mono text-text">{signed(driftMs)}</span>
          </Defined>
        )}
      </p>
    </div>
  );
}

const signed = (ms: number): string =>
  `${ms > 0.05 ? '+' : ms < -0.05 ? '−' : '±'}${Math.abs(ms).toFixed(1)} ms`;

/** The drift that was told last. */
function useDrift({ marks }: TimelineState): number | null {
  const newest = () => marks.latest(null, 'drift', 1)[0]?.amount ?? null;
  const [driftMs, setDrift] = useState(newest);
  useEffect(
    () => marks.subscribe(() => setDrift(marks.latest(null, 'drift', 1)[0]?.amount ?? null)),
    [marks],
  );
  return driftMs;
}

import type { CSSProperties } from 'react';
import type { TurnView, WaitSegment } from '../../session/model.ts';
import { DEFINITIONS, WAIT_PARTS } from '../definitions.ts';
import { milliseconds, roundedParts } from '../format.ts';
import { trackOf, useSession } from '../stores/session-store.ts';
import { Elapsed } from '../ui/elapsed.tsx';
import { Defined } from './defined.tsx';

/** Fainter from part to part; the order and the legend tell them apart as well. */
const SHADES = [
  'opacity-100',
  'opacity-80',
  'opacity-65',
  'opacity-50',
  'opacity-40',
  'opacity-30',
  'opacity-25',
];

/** How long the listener waited for a turn, and what for: parts that add up to the figure. */
export function WaitStrip({
  turn,
  onSegment,
}: {
  turn: TurnView;
  /** A part is pointed at, or none any more. */
  onSegment?: (name: WaitSegment['name'] | null) => void;
}) {
  if (!turn.wait || turn.wait.length === 0) return <NoWaitYet turn={turn} />;
  const parts = roundedParts(turn.wait.map((segment) => segment.ms));
  const total = parts.reduce((sum, part) => sum + part, 0);
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-border px-4 py-2.5 wide:flex-nowrap wide:px-5">
      <div className="w-36 shrink-0">
        <p className="font-mono text-20 leading-6">{milliseconds(total)}</p>
        <p className="text-12 text-text-subtle">
          <Defined definition={DEFINITIONS.wait}>first text to first audible</Defined>
        </p>
      </div>
      <div className="@container min-w-0 flex-1 basis-72">
        <div aria-hidden className="flex h-2 gap-0.5">
          {turn.wait.map((segment, at) => (
            <span
              key={segment.name}
              onPointerEnter={() => onSegment?.(segment.name)}
              onPointerLeave={() => onSegment?.(null)}
              className={`min-w-0.5 rounded-[2px] bg-waiting-fill ${SHADES[at] ?? 'opacity-30'}`}
              style={{ flex: `${Math.max(segment.ms, 0.5)} 1 0` }}
            />
          ))}
        </div>
        <dl
          className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-12 @min-[860px]:grid @min-[860px]:grid-cols-[repeat(var(--parts),minmax(0,1fr))] @min-[860px]:gap-x-2"
          style={{ '--parts': Math.max(6, turn.wait.length) } as CSSProperties}
        >
          {turn.wait.map((segment, at) => (
            <div
              key={segment.name}
              className="flex min-w-0 items-baseline gap-x-1.5 @min-[860px]:grid @min-[860px]:grid-cols-[8px_minmax(0,1fr)]"
            >
              <span
                aria-hidden
                className={`size-2 self-center rounded-[2px] bg-waiting-fill ${SHADES[at] ?? 'opacity-30'}`}
              />
              <dt className="truncate text-text-muted">
                <Defined definition={WAIT_PARTS[segment.name].definition}>
                  {WAIT_PARTS[segment.name].title}
                </Defined>
              </dt>
              <dd className="font-mono whitespace-nowrap @min-[860px]:col-start-2">
                {milliseconds(parts[at] ?? 0)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}

function NoWaitYet({ turn }: { turn: TurnView }) {
  const state = useSession(({ player }) => trackOf(player, turn.context).state);
  const over =
    !['sending', 'waiting', 'receiving'].includes(turn.state) &&
    (turn.samples === 0 || turn.silencedMs !== null || state === 'idle');
  return (
    <p className="flex min-h-12 items-center gap-2 border-b border-border px-4 text-12 text-text-subtle wide:px-5">
      {over ? (
        'Nothing of this turn was heard, so there is no wait to take apart.'
      ) : (
        <>
          Waiting for the first audible sample
          {turn.firstTextMs !== null && <Elapsed sinceMs={turn.firstTextMs} />}
        </>
      )}
    </p>
  );
}

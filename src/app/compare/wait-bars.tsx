import { milliseconds, roundedParts } from '#lib/format.ts';
import { measureOf } from '#session/measures/definitions.ts';
import { measureOfPart } from '#session/measures/turn-measures.ts';
import type { TurnView, WaitSegment } from '#session/views.ts';
import { Tooltip } from '../ui/tooltip.tsx';
import { nameOf, SIDES, type SideId } from './side.ts';

/** Fainter from part to part; their order and the table tell them apart as well. */
const SHADES = ['opacity-100', 'opacity-80', 'opacity-65', 'opacity-50', 'opacity-40', 'opacity-30'];

/** Below this share of the longer wait a part has no room for its figure. */
const ROOM_FOR_FIGURE = 0.07;

const sum = (wait: readonly WaitSegment[]): number => wait.reduce((ms, part) => ms + part.ms, 0);

/** The waits of both on one scale, in their parts. */
export function WaitBars({ turns }: { turns: Readonly<Record<SideId, TurnView | null>> }) {
  const longestMs = Math.max(...SIDES.map((side) => sum(turns[side]?.wait ?? [])));
  if (longestMs <= 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {SIDES.map((side, at) => (
        <WaitBar key={side} side={side} hue={at + 1} wait={turns[side]?.wait ?? null} longestMs={longestMs} />
      ))}
    </div>
  );
}

function WaitBar({
  side,
  hue,
  wait,
  longestMs,
}: {
  side: SideId;
  hue: number;
  wait: readonly WaitSegment[] | null;
  longestMs: number;
}) {
  const parts = roundedParts((wait ?? []).map(({ ms }) => ms));
  const total = parts.reduce((all, part) => all + part, 0);
  return (
    <div
      data-voice={hue}
      className="grid grid-cols-[28px_72px_minmax(0,1fr)] items-center wide:grid-cols-[36px_88px_minmax(0,1fr)]"
    >
      <span className="text-14 font-semibold text-voice">{nameOf(side)}</span>
      <span className="font-mono text-16">{milliseconds(wait && total)}</span>
      <ol aria-label={`Parts of the wait of ${nameOf(side)}`} className="flex min-w-0 gap-px">
        {(wait ?? []).map((segment, at) => {
          const { title, definition } = measureOf(measureOfPart(segment.name));
          const share = segment.ms / longestMs;
          return (
            <li key={segment.name} className="min-w-0.5" style={{ width: `${share * 100}%` }}>
              <Tooltip content={`${title}: ${milliseconds(parts[at] ?? 0)}. ${definition}`} align="start">
                <span className="block h-8">
                  <span className="sr-only">
                    {title}: {milliseconds(parts[at] ?? 0)}
                  </span>
                  <span
                    aria-hidden
                    className={`block h-3 rounded-[2px] bg-waiting-fill ${SHADES[at] ?? 'opacity-30'}`}
                  />
                  {share >= ROOM_FOR_FIGURE && (
                    <span aria-hidden className="mt-1 block truncate font-mono text-12 text-text-muted">
                      {parts[at] ?? 0}
                      <span className="ml-1.5 font-sans text-text-subtle">{title}</span>
                    </span>
                  )}
                </span>
              </Tooltip>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

import { useId, useLayoutEffect, useRef, useState } from 'react';
import { axisLabel, TimeScale } from '../session-client/timeline/time-scale.ts';
import type { LaneFigure, Stretch } from './lane-figure.ts';
import { nameOf, SIDES, type SideId } from './side.ts';

const AXIS_PX = 24;
const LANE_PX = 72;
const MADE = { top: 10, height: 20 };
const AUDIO = { top: 34, height: 6 };
const HEARD = { top: 44, height: 20 };
/** The axis is at least so long, so that a short run does not fill it with noise. */
const LEAST_MS = 500;

/** How wide an element is, in px, as long as it is there. */
function useWidth() {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const node = host.current;
    if (!node) return;
    const observer = new ResizeObserver(() => setWidth(node.clientWidth));
    observer.observe(node);
    setWidth(node.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { host, width };
}

/** Both runs under each other on one axis, whose zero is the first text of each. */
export function Lanes({ figures }: { figures: Readonly<Record<SideId, LaneFigure>> }) {
  const { host, width } = useWidth();
  const hatch = useId();
  const endMs = Math.max(LEAST_MS, figures.a.endMs, figures.b.endMs);
  const scale = TimeScale.fit(0, endMs, Math.max(1, width), 0.04);
  const ticks = scale.ticks(0);
  const [first, second] = ticks.filter(({ isMajor }) => isMajor);
  const stepMs = second && first ? second.atMs - first.atMs : endMs;
  const height = AXIS_PX + SIDES.length * LANE_PX;
  const box = ({ fromMs, toMs }: Stretch) => ({
    x: scale.toPx(fromMs),
    width: Math.max(1, scale.toPx(toMs) - scale.toPx(fromMs)),
  });
  return (
    <figure className="grid grid-cols-[28px_minmax(0,1fr)] wide:grid-cols-[36px_minmax(0,1fr)]">
      <div aria-hidden style={{ paddingTop: AXIS_PX }}>
        {SIDES.map((side, at) => (
          <div
            key={side}
            data-voice={at + 1}
            style={{ height: LANE_PX }}
            className="flex items-center border-t border-border text-14 font-semibold text-voice"
          >
            {nameOf(side)}
          </div>
        ))}
      </div>
      <div ref={host} className="min-w-0 overflow-hidden">
        <svg
          role="img"
          aria-label="Timelines of A and B on one axis. The table below holds their figures."
          width={width}
          height={height}
          className="block"
        >
          <defs>
            <pattern
              id={hatch}
              width="6"
              height="6"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect width="2.5" height="6" className="fill-waiting-fill" />
            </pattern>
          </defs>
          {ticks.map(({ atMs, isMajor }) => (
            <g key={atMs}>
              <rect
                x={scale.toPx(atMs)}
                y={isMajor ? AXIS_PX - 10 : AXIS_PX - 5}
                width={1}
                height={isMajor ? height : 5}
                className="fill-border"
              />
              {isMajor && (
                <text x={scale.toPx(atMs) + 5} y={14} className="fill-text-subtle font-mono text-12">
                  {axisLabel(atMs, stepMs)}
                </text>
              )}
            </g>
          ))}
          {SIDES.map((side, at) => (
            <g key={side} data-voice={at + 1} transform={`translate(0 ${AXIS_PX + at * LANE_PX})`}>
              <rect width={width} height={1} className="fill-border" />
              <Lane figure={figures[side]} scale={scale} box={box} hatch={`url(#${hatch})`} />
            </g>
          ))}
        </svg>
      </div>
    </figure>
  );
}

/** Letters of the mono face at 12 px are so wide. */
const LETTER_PX = 7;

function Lane({
  figure,
  scale,
  box,
  hatch,
}: {
  figure: LaneFigure;
  scale: TimeScale;
  box: (stretch: Stretch) => { x: number; width: number };
  hatch: string;
}) {
  return (
    <>
      {figure.made.map((chunk) => {
        const { x, width } = box(chunk);
        const letters = Math.floor((width - 10) / LETTER_PX);
        return (
          <g key={chunk.fromMs}>
            <rect x={x} y={MADE.top} width={width} height={MADE.height} rx={3} className="fill-voice-tint" />
            <rect x={x} y={MADE.top} width={2} height={MADE.height} className="fill-voice" />
            {letters > 3 && (
              <text x={x + 7} y={MADE.top + 14} className="fill-text-muted text-12">
                {chunk.text.length > letters ? `${chunk.text.slice(0, letters - 1)}…` : chunk.text}
              </text>
            )}
          </g>
        );
      })}
      <path
        d={ticksPath(figure.texts, scale, MADE.top - 6, 5)}
        className="stroke-text-subtle"
        strokeWidth={1}
      />
      <path d={ticksPath(figure.flushes, scale, MADE.top - 8, 7)} className="stroke-text" strokeWidth={2} />
      <path
        d={ticksPath(figure.audio, scale, AUDIO.top, AUDIO.height)}
        className="stroke-voice"
        strokeWidth={1}
      />
      {figure.heard.map((stretch) => (
        <rect
          key={stretch.fromMs}
          {...box(stretch)}
          y={HEARD.top}
          height={HEARD.height}
          rx={3}
          className="fill-voice"
        />
      ))}
      {figure.silences.map((stretch) => (
        <g key={stretch.fromMs}>
          <rect {...box(stretch)} y={HEARD.top} height={HEARD.height} className="fill-surface" />
          <rect {...box(stretch)} y={HEARD.top} height={HEARD.height} fill={hatch} />
        </g>
      ))}
    </>
  );
}

/** One path for all ticks; those on the same pixel are drawn once. */
function ticksPath(times: readonly number[], scale: TimeScale, top: number, height: number): string {
  const columns = new Set(times.map((ms) => Math.round(scale.toPx(ms))));
  return [...columns].map((x) => `M${x + 0.5} ${top}v${height}`).join('');
}

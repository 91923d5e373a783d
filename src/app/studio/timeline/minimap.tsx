import { type PointerEvent, useEffect, useEffectEvent, useRef } from 'react';
import { wallMs } from '#lib/wall-clock.ts';
import { paint } from '../../browser/paint.ts';
import { TimeScale } from '../../session-client/timeline/time-scale.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import type { TimelineSpeaker } from './geometry/figures.ts';
import { type Brushes, brushesOf, onLookChange, prepare, readPalette } from './paint/canvas.ts';
import { paintSession, paintWindow, roundedEnd } from './paint/paint-minimap.ts';

const MINIMAP_HEIGHT = 28;

/** The whole session in one strip, with a frame around the part that the lanes show. Dragging moves the lanes. */
export function Minimap({ state, rows }: { state: TimelineState; rows: readonly TimelineSpeaker[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const rowsNow = useEffectEvent(() => rows);
  const whole = useRef<TimeScale | null>(null);

  useEffect(() => {
    const host = canvas.current;
    if (!host) return;
    let brushes: Brushes | null = null;
    const session = document.createElement('canvas');
    let sessionKey = '';
    let widthPx = host.clientWidth;
    let painted = '';
    const leaveLook = onLookChange(host, () => {
      brushes = null;
      widthPx = host.clientWidth;
      sessionKey = '';
      painted = '';
      paint.request();
    });
    const leavePaint = paint.add((nowMs) => {
      const extent = state.extent(nowMs);
      if (!extent || !state.scale || widthPx === 0) return false;
      const scale = TimeScale.fit(extent.fromMs, roundedEnd(extent.fromMs, extent.toMs), widthPx, 0.005);
      whole.current = scale;
      const { lanes } = state;
      const key = `${scale.startMs} ${scale.msPerPx} ${widthPx} ${lanes.revision} ${rowsNow().length}`;
      if (`${key} ${state.revision}` === painted) return false;
      painted = `${key} ${state.revision}`;
      const to = prepare(host, widthPx, MINIMAP_HEIGHT);
      if (!to) return false;
      brushes ??= brushesOf(readPalette(), to);
      // The session is repainted only if it changed, not when the window moves.
      if (key !== sessionKey) {
        const onSession = prepare(session, widthPx, MINIMAP_HEIGHT);
        if (onSession) paintSession(onSession, state, rowsNow(), scale, MINIMAP_HEIGHT, nowMs, brushes);
        sessionKey = key;
      }
      to.drawImage(session, 0, 0, widthPx, MINIMAP_HEIGHT);
      paintWindow(to, scale, state.scale, MINIMAP_HEIGHT, brushes);
      return false;
    });
    return () => {
      leavePaint();
      leaveLook();
    };
  }, [state]);

  const grabbed = useRef<number | null>(null);
  const msAt = (event: PointerEvent<HTMLCanvasElement>): number => {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return whole.current?.toMs(px) ?? wallMs();
  };
  const begin = (event: PointerEvent<HTMLCanvasElement>) => {
    const { scale } = state;
    if (!scale) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const ms = msAt(event);
    const isInside = ms >= scale.startMs && ms <= scale.endMs;
    // A press beside the window centres it there.
    grabbed.current = isInside ? ms - scale.startMs : (scale.endMs - scale.startMs) / 2;
    drag(event);
  };
  const drag = (event: PointerEvent<HTMLCanvasElement>) => {
    const grip = grabbed.current;
    if (grip === null) return;
    const ms = msAt(event);
    state.move((of) => new TimeScale(ms - grip, of.msPerPx, of.widthPx));
  };
  const end = () => {
    grabbed.current = null;
  };
  return (
    <canvas
      ref={canvas}
      aria-hidden
      className="block w-full cursor-pointer touch-none"
      style={{ height: MINIMAP_HEIGHT }}
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}

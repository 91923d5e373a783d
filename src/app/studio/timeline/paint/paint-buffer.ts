import { milliseconds } from '#lib/format.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { TurnLane } from '../../../session-client/timeline/turn-lanes.ts';
import { depthsIn, depthTop } from '../geometry/depth.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import type { Brushes, Canvas } from './brushes.ts';

export interface BufferInput {
  context: string;
  lane: TurnLane;
  marks: LaneStore;
  scale: TimeScale;
  nowMs: number;
}

const FILL_ALPHA = 0.08;
/** Kept free under the line and over it. */
const PAD_PX = 4;

/** How much is received and not yet heard, as a step line; dotted, what the player waits for before it starts. */
export function paintBuffer(to: Canvas, strip: Strip, input: BufferInput, { palette }: Brushes): void {
  const { context, lane, marks, scale, nowMs } = input;
  const endPx = Math.min(scale.widthPx, scale.toPx(nowMs));
  const count = Math.max(0, Math.ceil(endPx));
  const depths = depthsIn(context, lane, marks, scale, 0, count);
  const floors = floorsIn(input);
  const most = Math.max(maxOf(depths), ...floors.map(({ floorMs }) => floorMs * 1.5));
  if (most === 0) return;
  const topMs = depthTop(most);
  const base = strip.top + strip.height - PAD_PX;
  const yOf = (ms: number): number => base - (Math.min(ms, topMs) / topMs) * (strip.height - 2 * PAD_PX);

  if (depths.length > 0 && maxOf(depths) > 0) {
    // Rectangles, since a path of a thousand corners costs more than all else that is painted.
    to.fillStyle = palette.text;
    to.globalAlpha = FILL_ALPHA;
    for (let px = 0; px < count; ) {
      const y = yOf(depths[px] ?? 0);
      const from = px;
      // Half a pixel is not seen.
      while (px < count && Math.abs(yOf(depths[px] ?? 0) - y) < 0.5) px += 1;
      if (y < base) to.fillRect(from, y, px - from, base - y);
    }
    to.globalAlpha = 1;
    to.fillStyle = palette.textMuted;
    let before = yOf(depths[0] ?? 0);
    for (let px = 0; px < count; ) {
      const y = yOf(depths[px] ?? 0);
      const from = px;
      do px += 1;
      while (px < count && y === before && yOf(depths[px] ?? 0) === y);
      to.fillRect(from, Math.min(y, before) - 0.5, px - from, Math.abs(y - before) + 1);
      before = y;
    }
  }

  to.strokeStyle = palette.textSubtle;
  to.lineWidth = 1;
  to.setLineDash([1.5, 2.5]);
  to.beginPath();
  for (const { fromMs, toMs, floorMs } of floors) {
    const y = Math.round(yOf(floorMs)) + 0.5;
    to.moveTo(Math.max(0, scale.toPx(fromMs)), y);
    to.lineTo(Math.min(endPx, scale.toPx(toMs)), y);
  }
  to.stroke();
  to.setLineDash([]);

  to.font = `400 12px ${palette.mono}`;
  to.fillStyle = palette.textSubtle;
  to.textAlign = 'right';
  to.textBaseline = 'top';
  to.fillText(axisOf(topMs), scale.widthPx - 8, strip.top + 3);
  const current = floors.at(-1);
  to.textAlign = 'left';
  const text = current ? `floor ${milliseconds(current.floorMs)}` : '';
  if (current && endPx + to.measureText(text).width + 16 < scale.widthPx) {
    to.textBaseline = 'bottom';
    to.fillText(text, Math.max(0, endPx) + 8, base + 2);
  }
}

const axisOf = (ms: number): string => (ms >= 1000 ? `${ms / 1000} s` : `${ms} ms`);

const maxOf = (values: Float64Array): number => {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** More changes than this in view are no line any more. */
const MOST_FLOORS = 400;

function floorsIn({ context, marks, scale, nowMs }: BufferInput) {
  const before = marks.before(context, 'floor', scale.startMs);
  const endMs = Math.min(scale.endMs, nowMs);
  const few = marks.total(context, 'floor', scale.startMs, endMs).count <= MOST_FLOORS;
  const inside = few ? marks.between(context, 'floor', scale.startMs, endMs) : [];
  const all = before ? [before, ...inside] : inside;
  return all.map(({ atMs, amount }, at) => ({
    fromMs: atMs,
    toMs: all[at + 1]?.atMs ?? endMs,
    floorMs: amount,
  }));
}

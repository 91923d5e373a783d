import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { Block } from '../geometry/lane-shape.ts';
import type { Place } from '../geometry/places.ts';
import type { Brushes, Canvas } from './brushes.ts';
import { paintEvent } from './paint-marks.ts';

/** What the person points at. Times are wall clock. */
export interface Overlay {
  cursorMs: number | null;
  /** A stretch that was drawn to measure it. */
  span: { fromMs: number; toMs: number } | null;
  /** A part of the wait, with its two ends. */
  segment: { fromMs: number; toMs: number } | null;
  places: readonly Place[];
}

/** Faint lines through all lanes at the labels of the axis. */
export function paintGrid(
  to: Canvas,
  scale: TimeScale,
  originMs: number,
  height: number,
  { palette }: Brushes,
): void {
  to.fillStyle = palette.border;
  to.globalAlpha = 0.6;
  for (const { atMs, isMajor } of scale.ticks(originMs)) {
    if (isMajor) to.fillRect(Math.round(scale.toPx(atMs)), 0, 1, height);
  }
  to.globalAlpha = 1;
}

/** What happened to the connection reaches through all lanes: every context is on it. */
export function paintConnection(
  to: Canvas,
  scale: TimeScale,
  marks: LaneStore,
  height: number,
  brushes: Brushes,
): void {
  const { palette } = brushes;
  for (const kind of ['connected', 'disconnected'] as const) {
    to.strokeStyle = kind === 'connected' ? palette.textSubtle : palette.failed;
    to.lineWidth = 1;
    to.setLineDash(kind === 'connected' ? [1, 4] : [4, 3]);
    to.beginPath();
    for (const { px } of marks.columns(null, kind, scale)) {
      to.moveTo(px + 0.5, 0);
      to.lineTo(px + 0.5, height);
    }
    to.stroke();
  }
  to.setLineDash([]);
  for (const { px } of marks.columns(null, 'error', scale))
    paintEvent(to, 'error', px + 0.5, 0, height, brushes);
}

/** Behind the lanes. */
export function paintUnderlay(
  to: Canvas,
  scale: TimeScale,
  { span, segment }: Overlay,
  height: number,
  { palette }: Brushes,
): void {
  const wash = (fromMs: number, toMs: number, alpha: number, fill: string) => {
    to.globalAlpha = alpha;
    to.fillStyle = fill;
    to.fillRect(scale.toPx(fromMs), 0, scale.toPx(toMs) - scale.toPx(fromMs), height);
    to.globalAlpha = 1;
  };
  if (span) wash(span.fromMs, span.toMs, 1, palette.selected);
  if (segment) wash(segment.fromMs, segment.toMs, 0.16, palette.waiting);
}

/** Over the lanes. */
export function paintOverlay(
  to: Canvas,
  scale: TimeScale,
  { cursorMs, span, segment, places }: Overlay,
  blocks: readonly Block[],
  height: number,
  { palette }: Brushes,
): void {
  const line = (ms: number, colour: string, width: number) => {
    to.fillStyle = colour;
    to.fillRect(Math.round(scale.toPx(ms)), 0, width, height);
  };
  if (span) {
    line(span.fromMs, palette.textMuted, 1);
    line(span.toMs, palette.textMuted, 1);
  }
  if (segment) {
    line(segment.fromMs, palette.waiting, 1.5);
    line(segment.toMs, palette.waiting, 1.5);
  }
  to.strokeStyle = palette.text;
  to.lineWidth = 1.5;
  for (const { context, strip, fromMs, toMs } of places) {
    const block = blocks.find(({ id }) => id === context) ?? blocks[0];
    const of = block?.shape.strips[strip];
    if (!block || !of) continue;
    const left = scale.toPx(fromMs) - 3;
    const width = scale.toPx(toMs) - left + 3;
    to.beginPath();
    to.roundRect(left, block.top + of.top + 1, width, of.height - 3, 4);
    to.fillStyle = palette.selected;
    to.fill();
    to.stroke();
  }
  if (cursorMs !== null) {
    to.strokeStyle = palette.textSubtle;
    to.lineWidth = 1;
    to.setLineDash([2, 3]);
    to.beginPath();
    const x = Math.round(scale.toPx(cursorMs)) + 0.5;
    to.moveTo(x, 0);
    to.lineTo(x, height);
    to.stroke();
    to.setLineDash([]);
  }
}

export function paintHead(
  to: Canvas,
  scale: TimeScale,
  headMs: number,
  height: number,
  { palette }: Brushes,
): void {
  to.fillStyle = palette.text;
  to.fillRect(Math.round(scale.toPx(headMs)), 0, 1.5, height);
}

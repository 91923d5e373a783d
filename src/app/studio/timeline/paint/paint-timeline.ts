import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { DisplayList } from '../geometry/display-list.ts';
import type { Brushes, Canvas, Pen } from './canvas.ts';
import { type AxisTimes, paintAxis } from './paint-axis.ts';
import { paintSpans } from './paint-lane.ts';
import { paintConnectionLines, paintMarks, paintSigns } from './paint-marks.ts';

/** Contents of the canvas besides the items of the lanes. Times are wall clock. */
interface PaintSettings extends AxisTimes {
  envelopes: EnvelopeStore;
  heightPx: number;
  span: { fromMs: number; toMs: number } | null;
  segment: { fromMs: number; toMs: number } | null;
}

/** Paints one picture, at the cost of the pixels and lanes in view. */
export function paintTimeline(
  onAxis: Canvas,
  onField: Canvas,
  list: DisplayList,
  settings: PaintSettings,
  brushes: Brushes,
): void {
  const { scale } = list.view;
  paintAxis({ ...brushes, to: onAxis, scale }, list.view, settings);
  const pen = { ...brushes, to: onField, scale };
  paintBackground(pen, settings);
  for (const lane of list.lanes) paintSpans(pen, lane, settings.envelopes);
  paintConnectionLines(pen, list, settings.heightPx);
  for (const lane of list.lanes) paintMarks(pen, lane);
  for (const layer of list.connection) paintSigns(pen, layer, 0, settings.heightPx);
  paintForeground(pen, list, settings);
}

function paintBackground({ to, scale, palette }: Pen, settings: PaintSettings): void {
  const { originMs, heightPx, span, segment } = settings;
  to.fillStyle = palette.border;
  to.globalAlpha = 0.6;
  for (const { atMs, isMajor } of scale.ticks(originMs)) {
    if (isMajor) to.fillRect(Math.round(scale.toPx(atMs)), 0, 1, heightPx);
  }
  const wash = (fromMs: number, toMs: number, alpha: number, fill: string) => {
    to.globalAlpha = alpha;
    to.fillStyle = fill;
    to.fillRect(scale.toPx(fromMs), 0, scale.toPx(toMs) - scale.toPx(fromMs), heightPx);
  };
  if (span) wash(span.fromMs, span.toMs, 1, palette.selected);
  if (segment) wash(segment.fromMs, segment.toMs, 0.16, palette.waiting);
  to.globalAlpha = 1;
}

function paintForeground(pen: Pen, { view, selected }: DisplayList, settings: PaintSettings): void {
  const { to, scale, palette } = pen;
  const { heightPx, headMs, cursorMs, span, segment } = settings;
  const line = (ms: number, colour: string, width: number) => {
    to.fillStyle = colour;
    to.fillRect(Math.round(scale.toPx(ms)), 0, width, heightPx);
  };
  for (const ms of span ? [span.fromMs, span.toMs] : []) line(ms, palette.textMuted, 1);
  for (const ms of segment ? [segment.fromMs, segment.toMs] : []) line(ms, palette.waiting, 1.5);
  to.strokeStyle = palette.text;
  to.lineWidth = 1.5;
  for (const { context, strips, fromMs, toMs } of selected) {
    // A frame of the connection is shown in the first block.
    const block = view.blocks.find(({ id }) => id === context) ?? view.blocks[0];
    for (const name of strips) {
      const strip = block?.strips[name];
      if (!strip) continue;
      const left = scale.toPx(fromMs) - 3;
      to.beginPath();
      to.roundRect(left, strip.top + 1, scale.toPx(toMs) - left + 3, strip.height - 3, 4);
      to.fillStyle = palette.selected;
      to.fill();
      to.stroke();
    }
  }
  if (cursorMs !== null) {
    to.strokeStyle = palette.textSubtle;
    to.lineWidth = 1;
    to.setLineDash([2, 3]);
    to.beginPath();
    const x = Math.round(scale.toPx(cursorMs)) + 0.5;
    to.moveTo(x, 0);
    to.lineTo(x, heightPx);
    to.stroke();
    to.setLineDash([]);
  }
  if (headMs !== null) line(headMs, palette.text, 1.5);
}

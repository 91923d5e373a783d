import { milliseconds } from '#lib/format.ts';
import type { LaneItems } from '../geometry/display-list.ts';
import type { Pen } from './canvas.ts';

const FILL_ALPHA = 0.08;
/** Kept free below the line and above it. */
const PAD_PX = 4;

export function paintBuffer({ to, scale, palette }: Pen, { depth, block }: LaneItems): void {
  const strip = block.strips.buffer;
  if (!depth || !strip || depth.topMs === 0) return;
  const { depths, targets, topMs } = depth;
  const count = depths.length;
  const base = strip.top + strip.height - PAD_PX;
  const yOf = (ms: number): number => base - (Math.min(ms, topMs) / topMs) * (strip.height - 2 * PAD_PX);

  if (depths.some((ms) => ms > 0)) {
    // Rectangles, because a path of a thousand corners costs more than the rest of the picture.
    to.fillStyle = palette.text;
    to.globalAlpha = FILL_ALPHA;
    for (let px = 0; px < count; ) {
      const y = yOf(depths[px] ?? 0);
      const from = px;
      // Half a pixel is not visible.
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
  for (const { fromMs, toMs, targetMs } of targets) {
    const y = Math.round(yOf(targetMs)) + 0.5;
    to.moveTo(Math.max(0, scale.toPx(fromMs)), y);
    to.lineTo(scale.toPx(toMs), y);
  }
  to.stroke();
  to.setLineDash([]);

  to.font = `400 12px ${palette.mono}`;
  to.fillStyle = palette.textSubtle;
  to.textAlign = 'right';
  to.textBaseline = 'top';
  to.fillText(topMs >= 1000 ? `${topMs / 1000} s` : `${topMs} ms`, scale.widthPx - 8, strip.top + 3);
  const current = targets.at(-1);
  if (!current) return;
  to.textAlign = 'left';
  const text = `target ${milliseconds(current.targetMs)}`;
  const endPx = scale.toPx(current.toMs);
  if (endPx + to.measureText(text).width + 16 < scale.widthPx) {
    to.textBaseline = 'bottom';
    to.fillText(text, Math.max(0, endPx) + 8, base + 2);
  }
}

import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { TimelineState } from '../../../session-client/timeline/timeline-state.ts';
import { itemsIn, type TimeSpan } from '../../../session-client/timeline/turn-lanes.ts';
import type { TimelineSpeaker } from '../geometry/figures.ts';
import { type Brushes, type Canvas, paintStripes } from './canvas.ts';

const PAD_PX = 5;
const OUTSIDE_ALPHA = 0.6;

/** Paints the session by lanes: sound, underruns and errors. Costs its pixels. */
export function paintSession(
  to: Canvas,
  { lanes, marks }: Pick<TimelineState, 'lanes' | 'marks'>,
  rows: readonly TimelineSpeaker[],
  whole: TimeScale,
  height: number,
  nowMs: number,
  { palette }: Brushes,
): void {
  const each = (height - 2 * PAD_PX) / Math.max(1, rows.length);
  const tall = Math.max(1.5, each - 1);
  const bars = (spans: readonly TimeSpan[], top: number, fill: string) => {
    const shown = itemsIn(spans, whole.startMs, whole.endMs, whole.msPerPx);
    const stripes = shown.map(({ fromMs, toMs }) => {
      const left = whole.toPx(fromMs);
      return [left, Math.max(1, whole.toPx(Math.min(toMs, nowMs)) - left)] as const;
    });
    paintStripes(to, { top, height: tall }, fill, stripes);
  };
  for (const [at, { id, hue }] of rows.entries()) {
    const lane = lanes.lane(id);
    const top = PAD_PX + at * each;
    bars(lane.heard, top, palette.voice(hue).full);
    bars(lane.underruns, top, palette.waiting);
    to.fillStyle = palette.failed;
    for (const px of marks.pixels(id, 'error', whole)) to.fillRect(px, top, 2, tall);
  }
  to.fillStyle = palette.failed;
  for (const px of marks.pixels(null, 'error', whole)) to.fillRect(px, PAD_PX, 2, height - 2 * PAD_PX);
}

export function paintWindow(
  to: Canvas,
  whole: TimeScale,
  shown: TimeScale,
  height: number,
  { palette }: Brushes,
): void {
  const left = Math.max(0, whole.toPx(shown.startMs));
  const right = Math.min(whole.widthPx, whole.toPx(shown.endMs));
  to.globalAlpha = OUTSIDE_ALPHA;
  to.fillStyle = palette.surface;
  to.fillRect(0, 0, left, height);
  to.fillRect(right, 0, Math.max(0, whole.widthPx - right), height);
  to.globalAlpha = 1;
  if (right <= left) return;
  to.strokeStyle = palette.textSubtle;
  to.lineWidth = 1;
  to.beginPath();
  to.roundRect(left + 0.5, 1.5, Math.max(3, right - left - 1), height - 3, 3);
  to.stroke();
}

/** The scale of a live session grows by steps, so that the minimap is not repainted for every frame. */
const STEPS = 24;

/** The end of the scale: `toMs`, or up to one step more. */
export function roundedEnd(fromMs: number, toMs: number): number {
  const lengthMs = Math.max(1000, toMs - fromMs);
  const stepMs = 2 ** Math.ceil(Math.log2(lengthMs / STEPS));
  return fromMs + Math.ceil(lengthMs / stepMs) * stepMs;
}

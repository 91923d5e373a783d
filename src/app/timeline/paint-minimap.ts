import type { Brushes, Canvas } from './brushes.ts';
import type { TimelineSpeaker } from './rows.ts';
import type { TimeScale } from './time-scale.ts';
import type { TimelineState } from './timeline-state.ts';
import { spansIn } from './turn-lanes.ts';

const PAD_PX = 5;
const OUTSIDE_ALPHA = 0.6;

/** The session by lanes: what was heard, what ran dry, what went wrong. Costs its pixels. */
export function paintMinimap(
  to: Canvas,
  { lanes, marks }: Pick<TimelineState, 'lanes' | 'marks'>,
  rows: readonly TimelineSpeaker[],
  whole: TimeScale,
  shown: TimeScale,
  height: number,
  nowMs: number,
  { palette }: Brushes,
): void {
  const each = (height - 2 * PAD_PX) / Math.max(1, rows.length);
  const bar = (fromMs: number, toMs: number, top: number, of: number) => {
    const left = whole.toPx(fromMs);
    to.fillRect(left, top, Math.max(1, whole.toPx(Math.min(toMs, nowMs)) - left), of);
  };
  for (const [at, { id, hue }] of rows.entries()) {
    const lane = lanes.lane(id);
    const top = PAD_PX + at * each;
    const tall = Math.max(1.5, each - 1);
    to.fillStyle = palette.voice(hue).full;
    for (const { fromMs, toMs } of spansIn(lane.heard, whole.startMs, whole.endMs, whole.msPerPx)) {
      bar(fromMs, toMs, top, tall);
    }
    to.fillStyle = palette.waiting;
    for (const { fromMs, toMs } of spansIn(lane.underruns, whole.startMs, whole.endMs, whole.msPerPx)) {
      bar(fromMs, toMs, top, tall);
    }
    to.fillStyle = palette.failed;
    for (const { px } of marks.columns(id, 'error', whole)) to.fillRect(px, top, 2, tall);
  }
  to.fillStyle = palette.failed;
  for (const { px } of marks.columns(null, 'error', whole)) to.fillRect(px, PAD_PX, 2, height - 2 * PAD_PX);

  const left = Math.max(0, whole.toPx(shown.startMs));
  const right = Math.min(whole.widthPx, whole.toPx(shown.endMs));
  to.globalAlpha = OUTSIDE_ALPHA;
  to.fillStyle = palette.surface;
  to.fillRect(0, 0, Math.max(0, left), height);
  to.fillRect(right, 0, Math.max(0, whole.widthPx - right), height);
  to.globalAlpha = 1;
  if (right - left > 0) {
    to.strokeStyle = palette.textSubtle;
    to.lineWidth = 1;
    to.beginPath();
    to.roundRect(left + 0.5, 1.5, Math.max(3, right - left - 1), height - 3, 3);
    to.stroke();
  }
}

import { playedOf } from '../../../session-client/played.ts';
import { axisLabel, type TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { itemsIn, type TurnLanes, type TurnSpan } from '../../../session-client/timeline/turn-lanes.ts';
import { type Pen, paintStripes, type Stripe } from './canvas.ts';

/** The wall clock is the upper row, the audio clock the lower one. */
const ROW_PX = 20;
export const AXIS_HEIGHT = 2 * ROW_PX;

/** A narrower piece of the audio clock has no ticks. */
const LEAST_CLOCK_PX = 12;
/** Room for a label of the audio clock. */
const AUDIO_LABEL_PX = 44;

export interface AxisTimes {
  /** Zero of the labels of the wall clock. */
  originMs: number;
  /** The position of what is heard now; null in silence. */
  headMs: number | null;
  /** The position of what is heard now on the audio clock of its turn. */
  headAudioMs: number | null;
  cursorMs: number | null;
}

/** Paints two clocks over one scale: the wall clock runs evenly, the audio clock of a turn stops while it is silent. */
export function paintAxis(pen: Pen, data: { lanes: TurnLanes; nowMs: number }, times: AxisTimes): void {
  const { to, palette } = pen;
  const { originMs, headMs, headAudioMs, cursorMs } = times;
  to.font = `400 12px ${palette.mono}`;
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  paintWallClock(pen, originMs);
  paintAudioClock(pen, data);
  const { surface, inverse, onInverse, text, textSubtle } = palette;
  if (cursorMs !== null) {
    paintFlag(pen, cursorMs, axisLabel(cursorMs - originMs, 10), 0, [surface, textSubtle, text]);
  }
  if (headMs === null) return;
  paintFlag(pen, headMs, axisLabel(headMs - originMs, 10), 0, [inverse, inverse, onInverse]);
  if (headAudioMs !== null) {
    paintFlag(pen, headMs, axisLabel(headAudioMs, 10), ROW_PX, [surface, surface, text]);
  }
}

function paintWallClock({ to, scale, palette }: Pen, originMs: number): void {
  const stepMs = scale.labelStepMs;
  for (const { atMs, isMajor } of scale.ticks(originMs)) {
    const x = Math.round(scale.toPx(atMs));
    to.fillStyle = palette.borderStrong;
    to.fillRect(x, ROW_PX - (isMajor ? 9 : 4), 1, isMajor ? 9 : 4);
    if (!isMajor) continue;
    to.fillStyle = palette.textSubtle;
    to.fillText(axisLabel(atMs - originMs, stepMs), x + 4, ROW_PX / 2);
  }
}

/** Returns the turns heard in view. Of turns heard together, only the first. */
function heardAlone(lanes: TurnLanes, scale: TimeScale): TurnSpan[] {
  const all = lanes.ids.flatMap((id) =>
    itemsIn(lanes.lane(id).heard, scale.startMs, scale.endMs, scale.msPerPx),
  );
  all.sort((a, b) => a.fromMs - b.fromMs);
  let free = Number.NEGATIVE_INFINITY;
  return all.filter(({ fromMs, toMs }) => {
    const isFree = fromMs >= free - 1;
    if (isFree) free = toMs;
    return isFree;
  });
}

function paintAudioClock(pen: Pen, { lanes, nowMs }: { lanes: TurnLanes; nowMs: number }): void {
  const { to, scale, palette } = pen;
  const base = AXIS_HEIGHT - 1;
  const stepMs = scale.labelStepMs;
  let labelsEnd = Number.NEGATIVE_INFINITY;
  const line: Stripe[] = [];
  to.fillStyle = palette.textSubtle;
  for (const { turn } of heardAlone(lanes, scale)) {
    const msOf = 1000 / (turn.sampleRate ?? 1);
    const played = playedOf(turn);
    for (const range of played.list) {
      const { sample: fromSample, atMs: fromMs } = range;
      const until = Math.min(played.endMsOf(range), nowMs);
      if (until < scale.startMs || fromMs > scale.endMs || until <= fromMs) continue;
      const left = scale.toPx(fromMs);
      const width = scale.toPx(until) - left;
      const start = Math.max(-1, left);
      line.push([start, Math.max(1, Math.min(left + width, scale.widthPx + 1) - start)]);
      if (width < LEAST_CLOCK_PX) continue;
      // The audio clock has the rate of the wall clock and another zero.
      const zeroMs = fromMs - fromSample * msOf;
      const minor = stepMs / 4;
      const first = Math.ceil((Math.max(fromMs, scale.startMs) - zeroMs) / minor - 1e-6);
      const last = Math.floor((Math.min(until, scale.endMs) - zeroMs) / minor + 1e-6);
      for (let at = first; at <= last; at += 1) {
        const x = Math.round(scale.toPx(zeroMs + at * minor));
        const isMajor = at % 4 === 0;
        to.fillRect(x, base - (isMajor ? 8 : 4), 1, isMajor ? 8 : 4);
        if (!isMajor || x < labelsEnd || x + AUDIO_LABEL_PX > scale.widthPx + 30) continue;
        to.fillText(axisLabel(at * minor, stepMs), x + 4, ROW_PX * 1.5 - 1);
        labelsEnd = x + AUDIO_LABEL_PX;
      }
    }
  }
  paintStripes(to, { top: base - 1, height: 1.5 }, palette.textSubtle, line);
}

function paintFlag(
  { to, scale }: Pen,
  ms: number,
  label: string,
  top: number,
  [back, edge, text]: readonly [back: string, edge: string, text: string],
): void {
  const at = scale.toPx(ms);
  if (at < 0 || at > scale.widthPx) return;
  const width = to.measureText(label).width + 12;
  const left = Math.min(Math.max(0.5, at - width / 2), scale.widthPx - width - 0.5);
  to.beginPath();
  to.roundRect(left, top + 1.5, width, ROW_PX - 4, 4);
  to.fillStyle = back;
  to.fill();
  to.strokeStyle = edge;
  to.lineWidth = 1;
  to.stroke();
  to.fillStyle = text;
  to.fillText(label, left + 6, top + ROW_PX / 2);
}

import { playedOf } from '../../../session-client/played.ts';
import { axisLabel, type TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { type Gap, spansIn, type TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import type { Brushes, Canvas } from './brushes.ts';
import { Stripes } from './stripes.ts';

/** The wall clock above, the audio clock below it. */
const ROW_PX = 20;
export const AXIS_HEIGHT = 2 * ROW_PX;

const LABEL_GAP_PX = 80;
/** A piece of the audio clock that is narrower has no ticks. */
const LEAST_CLOCK_PX = 12;
/** Room for a label of the audio clock. */
const AUDIO_LABEL_PX = 44;

export interface AxisInput {
  scale: TimeScale;
  /** Zero of the wall clock. */
  originMs: number;
  lanes: TurnLanes;
  nowMs: number;
  headMs: number | null;
  /** On the audio clock of the turn at the play head. */
  headAudioMs: number | null;
  cursorMs: number | null;
}

/** Two clocks over one scale: the wall clock runs evenly, the audio clock of each turn stands while nothing is heard. */
export function paintAxis(to: Canvas, input: AxisInput, brushes: Brushes): void {
  const { scale, originMs, headMs, headAudioMs, cursorMs } = input;
  const { palette } = brushes;
  to.font = `400 12px ${palette.mono}`;
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  paintWallClock(to, scale, originMs, brushes);
  paintAudioClock(to, input, brushes);
  if (cursorMs !== null) {
    paintFlag(to, scale, cursorMs, axisLabel(cursorMs - originMs, 10), 0, {
      back: palette.surface,
      edge: palette.textSubtle,
      text: palette.text,
    });
  }
  if (headMs === null) return;
  const look = { back: palette.inverse, edge: palette.inverse, text: palette.onInverse };
  paintFlag(to, scale, headMs, axisLabel(headMs - originMs, 10), 0, look);
  if (headAudioMs !== null) {
    const quiet = { back: palette.surface, edge: palette.surface, text: palette.text };
    paintFlag(to, scale, headMs, axisLabel(headAudioMs, 10), ROW_PX, quiet);
  }
}

function paintWallClock(to: Canvas, scale: TimeScale, originMs: number, { palette }: Brushes): void {
  const ticks = scale.ticks(originMs, LABEL_GAP_PX);
  const stepMs = scale.labelStepMs(LABEL_GAP_PX);
  for (const { atMs, isMajor } of ticks) {
    const x = Math.round(scale.toPx(atMs));
    to.fillStyle = palette.borderStrong;
    to.fillRect(x, ROW_PX - (isMajor ? 9 : 4), 1, isMajor ? 9 : 4);
    if (!isMajor) continue;
    to.fillStyle = palette.textSubtle;
    to.fillText(axisLabel(atMs - originMs, stepMs), x + 4, ROW_PX / 2);
  }
}

/** Turns that are heard one at a time: of those that speak together, the one that began first. */
function oneAtATime({ lanes, scale }: AxisInput): Gap[] {
  const all = lanes.ids.flatMap((id) =>
    spansIn(lanes.lane(id).heard, scale.startMs, scale.endMs, scale.msPerPx),
  );
  all.sort((a, b) => a.fromMs - b.fromMs);
  let free = Number.NEGATIVE_INFINITY;
  return all.filter((span) => {
    const isFree = span.fromMs >= free - 1;
    if (isFree) free = span.toMs;
    return isFree;
  });
}

function paintAudioClock(to: Canvas, input: AxisInput, { palette }: Brushes): void {
  const { scale, nowMs } = input;
  const base = AXIS_HEIGHT - 1;
  const stepMs = scale.labelStepMs(LABEL_GAP_PX);
  let labelsEnd = Number.NEGATIVE_INFINITY;
  const line = new Stripes(to, base - 1, 1.5, palette.textSubtle);
  to.fillStyle = palette.textSubtle;
  for (const { turn } of oneAtATime(input)) {
    const msOf = 1000 / (turn.sampleRate ?? 1);
    const played = playedOf(turn);
    for (const range of played.list) {
      const { sample: fromSample, atMs: fromMs } = range;
      const until = Math.min(played.endMsOf(range), nowMs);
      if (until < scale.startMs || fromMs > scale.endMs || until <= fromMs) continue;
      const left = scale.toPx(fromMs);
      const width = scale.toPx(until) - left;
      const start = Math.max(-1, left);
      line.add(start, Math.max(1, Math.min(left + width, scale.widthPx + 1) - start));
      // Too short for a tick of its own.
      if (width < LEAST_CLOCK_PX) continue;
      // The audio clock runs as the wall clock does, from another zero.
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
  line.end();
}

interface FlagLook {
  back: string;
  edge: string;
  text: string;
}

function paintFlag(
  to: Canvas,
  scale: TimeScale,
  ms: number,
  label: string,
  top: number,
  { back, edge, text }: FlagLook,
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

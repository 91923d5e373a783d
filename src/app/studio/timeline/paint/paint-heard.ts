import { milliseconds, seconds } from '#lib/format.ts';
import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import type { LaneDrawing, Wave } from '../geometry/lanes.ts';
import type { Brushes, Canvas } from './brushes.ts';
import { Stripes } from './stripes.ts';

/** A bar of the wave and the space behind it. */
const BAR_PX = 3;
const BAR_WIDTH_PX = 2;
const LEAST_BAR_PX = 1.5;
/** What is still to be heard, and what never was, beside what was. */
const TO_COME_ALPHA = 0.32;
const LOST_ALPHA = 0.5;
/** Speech stays far below full scale for most of the time: drawn by the power that the ear goes by. */
const LOUDNESS = 0.65;
const WORD_SPACE_PX = 6;

export interface HeardLook {
  /** Top and height of the wave, on the canvas. */
  wave: Strip;
  /** Where words stand; null where there is no room for them. */
  wordsTop: number | null;
  colour: string;
  /** Where hatching reaches: over the buffer as well, where that is drawn. */
  silenceTop: number;
}

/** The sound itself, silences and what was never heard, with words below. */
export function paintHeard(
  to: Canvas,
  drawing: LaneDrawing,
  scale: TimeScale,
  envelopes: EnvelopeStore,
  look: HeardLook,
  brushes: Brushes,
): void {
  paintLost(to, drawing, scale, look, brushes);
  to.fillStyle = look.colour;
  // Many turns may share a bar where one looks from far away: each bar is painted once more only where it grows.
  const last = { bar: Number.NaN, height: 0 };
  for (const wave of drawing.waves) paintWave(to, wave, scale, envelopes, look, last);
  to.globalAlpha = 1;
  paintSilences(to, drawing, scale, look, brushes);
  if (look.wordsTop !== null) paintWords(to, drawing, scale, look.wordsTop, brushes);
}

function paintWave(
  to: Canvas,
  { fromMs, toMs, turn, fromSample, isHeard }: Wave,
  scale: TimeScale,
  envelopes: EnvelopeStore,
  { wave }: HeardLook,
  last: { bar: number; height: number },
): void {
  const barMs = BAR_PX * scale.msPerPx;
  const audioFromMs = (fromSample / (turn.sampleRate ?? 1)) * 1000;
  // Bars stand at places of the session, not of the window, so that they keep their form while it moves.
  const first = Math.floor(Math.max(fromMs, scale.startMs) / barMs);
  const end = Math.ceil(Math.min(toMs, scale.endMs) / barMs);
  const middle = wave.top + wave.height / 2;
  to.globalAlpha = isHeard ? 1 : TO_COME_ALPHA;
  for (let bar = first; bar < end; bar += 1) {
    const from = Math.max(bar * barMs, fromMs);
    const until = Math.min((bar + 1) * barMs, toMs);
    if (until <= from) continue;
    const peak = envelopes.highest(turn.id, audioFromMs + from - fromMs, audioFromMs + until - fromMs);
    const height = Math.max(LEAST_BAR_PX, peak ** LOUDNESS * wave.height);
    if (bar === last.bar && height <= last.height) continue;
    last.bar = bar;
    last.height = height;
    to.fillRect(scale.toPx(bar * barMs), middle - height / 2, BAR_WIDTH_PX, height);
  }
}

/** At the right edge stands what the height of the buffer is. */
const AXIS_LABEL_PX = 44;
/** Too narrow for lines and words: a plain stripe. */
const NARROW_PX = 5;

function paintSilences(
  to: Canvas,
  { waits, underruns }: LaneDrawing,
  scale: TimeScale,
  { wave, silenceTop }: HeardLook,
  brushes: Brushes,
): void {
  const { palette, wait } = brushes;
  to.font = `400 12px ${palette.sans}`;
  to.textBaseline = 'middle';
  const bottom = wave.top + wave.height;
  const narrow = new Stripes(to, silenceTop, bottom - silenceTop, palette.waiting);
  const hatch = (fromMs: number, toMs: number, top: number, hasLeftEdge: boolean) => {
    const left = Math.max(-8, scale.toPx(fromMs));
    const right = Math.min(scale.widthPx + 8, Math.max(scale.toPx(toMs), left + 2));
    const width = right - left;
    if (width < NARROW_PX) {
      if (top === silenceTop) narrow.add(left, Math.max(1, width));
      else {
        to.fillStyle = palette.waiting;
        to.fillRect(left, top, Math.max(1, width), bottom - top);
      }
      return { left, right, width };
    }
    to.fillStyle = palette.surface;
    to.fillRect(left, top, width, bottom - top);
    to.globalAlpha = 0.6;
    to.fillStyle = wait;
    to.fillRect(left, top, width, bottom - top);
    to.globalAlpha = 1;
    to.fillStyle = palette.waiting;
    to.fillRect(right - 1, top, 1, bottom - top);
    if (hasLeftEdge) to.fillRect(left, top, 1, bottom - top);
    return { left, right, width };
  };
  for (const { fromMs, toMs } of waits) {
    const { left, width } = hatch(fromMs, toMs, wave.top, false);
    label(to, 'wait', left + width / 2, wave.top + wave.height / 2, width, brushes);
  }
  narrow.end();
  to.textAlign = 'left';
  const ends = underruns.map(({ fromMs, toMs }) => hatch(fromMs, toMs, silenceTop, true));
  narrow.end();
  if (silenceTop === wave.top) return;
  to.fillStyle = palette.waitingText;
  for (const [at, { fromMs, toMs }] of underruns.entries()) {
    const right = ends[at]?.right ?? 0;
    const text = `underrun ${milliseconds(toMs - fromMs)}`;
    const room = (ends[at + 1]?.left ?? scale.widthPx - AXIS_LABEL_PX) - right - 16;
    // Beside the hatching, over the buffer that has run dry.
    if (to.measureText(text).width <= room) to.fillText(text, right + 8, silenceTop + 12);
  }
}

/** A word on a ground of its own, where there is room for it. */
function label(to: Canvas, text: string, x: number, y: number, room: number, { palette }: Brushes): void {
  const width = to.measureText(text).width + 6;
  if (room < width + 8) return;
  to.fillStyle = palette.surface;
  to.fillRect(x - width / 2, y - 8, width, 16);
  to.fillStyle = palette.waitingText;
  to.textAlign = 'center';
  to.fillText(text, x, y + 0.5);
}

function paintLost(
  to: Canvas,
  { lost }: LaneDrawing,
  scale: TimeScale,
  { wave }: HeardLook,
  { palette, lost: hatching }: Brushes,
): void {
  to.font = `400 12px ${palette.sans}`;
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  for (const { fromMs, toMs } of lost) {
    const left = Math.max(-8, scale.toPx(fromMs));
    const right = Math.min(scale.widthPx + 8, scale.toPx(toMs));
    if (right - left < 1) continue;
    to.globalAlpha = LOST_ALPHA;
    to.fillStyle = hatching;
    to.fillRect(left, wave.top + wave.height / 4, right - left, wave.height / 2);
    to.globalAlpha = 1;
    const text = `never heard ${seconds((toMs - fromMs) / 1000)}`;
    const width = to.measureText(text).width + 8;
    if (right - left < width + 8) continue;
    to.fillStyle = palette.surface;
    to.fillRect(Math.max(left, 0) + 6, wave.top + wave.height / 2 - 8, width, 16);
    to.fillStyle = palette.textMuted;
    to.fillText(text, Math.max(left, 0) + 10, wave.top + wave.height / 2 + 0.5);
  }
}

function paintWords(
  to: Canvas,
  { words }: LaneDrawing,
  scale: TimeScale,
  top: number,
  { palette }: Brushes,
): void {
  to.textBaseline = 'top';
  to.textAlign = 'left';
  let end = Number.NEGATIVE_INFINITY;
  const newest = words.findLastIndex(({ isHeard }) => isHeard);
  for (const [at, one] of words.entries()) {
    const left = scale.toPx(one.fromMs);
    if (left < end || left > scale.widthPx) continue;
    // The last word of a turn is followed by none of its own, and then it may be long over.
    const isCurrent = at === newest && words[at + 1]?.turn === one.turn;
    to.font = `${isCurrent ? 600 : 400} 12px ${palette.sans}`;
    to.fillStyle = isCurrent ? palette.text : one.isHeard ? palette.textMuted : palette.textSubtle;
    to.fillText(one.word, left, top);
    end = left + to.measureText(one.word).width + WORD_SPACE_PX;
  }
}

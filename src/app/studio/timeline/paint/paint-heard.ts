import { milliseconds, seconds } from '#lib/format.ts';
import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { LaneItems, WaveSpan } from '../geometry/display-list.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import { type Pen, paintStripes, type Stripe } from './canvas.ts';

/** A bar of the wave with the space after it. */
const BAR_PX = 3;
const BAR_WIDTH_PX = 2;
const LEAST_BAR_PX = 1.5;
const EXPECTED_ALPHA = 0.32;
const LOST_ALPHA = 0.5;
/** Bars follow perceived loudness, a power of amplitude, because most speech is far below full scale. */
const LOUDNESS = 0.65;
const WORD_SPACE_PX = 6;
/** Words are shown if this much is free below the wave. */
const LEAST_WORDS_PX = 16;

export function paintHeard(pen: Pen, lane: LaneItems, envelopes: EnvelopeStore): void {
  const { to, palette } = pen;
  const { strips, isOnly, waveHeight, hue } = lane.block;
  const wave = { top: strips.heard.top + (isOnly ? 2 : 0), height: waveHeight };
  paintLost(pen, lane, wave);
  to.fillStyle = palette.voice(hue).full;
  // Turns may share a bar, which is painted again only where it grows.
  const last = { bar: Number.NaN, height: 0 };
  for (const item of lane.waves) paintWave(pen, item, envelopes, wave, last);
  to.globalAlpha = 1;
  // Hatching covers the empty buffer too.
  paintSilences(pen, lane, wave, strips.buffer ? strips.buffer.top + 1 : wave.top);
  if (strips.heard.height - waveHeight >= LEAST_WORDS_PX) paintWords(pen, lane, wave.top + waveHeight + 3);
}

function paintWave(
  { to, scale }: Pen,
  { fromMs, toMs, turn, fromSample, isHeard }: WaveSpan,
  envelopes: EnvelopeStore,
  wave: Strip,
  last: { bar: number; height: number },
): void {
  const barMs = BAR_PX * scale.msPerPx;
  const audioFromMs = (fromSample / (turn.sampleRate ?? 1)) * 1000;
  // Bars have fixed places in the session, so that they do not flicker while the window moves.
  const first = Math.floor(Math.max(fromMs, scale.startMs) / barMs);
  const end = Math.ceil(Math.min(toMs, scale.endMs) / barMs);
  const middle = wave.top + wave.height / 2;
  to.globalAlpha = isHeard ? 1 : EXPECTED_ALPHA;
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

/** Room at the right edge for the scale of the buffer. */
const AXIS_LABEL_PX = 44;
/** Too narrow for hatching and words: a plain stripe. */
const NARROW_PX = 5;

/** `top`: of the hatching of underruns. */
function paintSilences(pen: Pen, { waits, underruns }: LaneItems, wave: Strip, top: number): void {
  const { to, scale, palette, wait } = pen;
  to.font = `400 12px ${palette.sans}`;
  to.textBaseline = 'middle';
  const bottom = wave.top + wave.height;
  const hatch = (fromMs: number, toMs: number, from: number, narrow: Stripe[], hasLeftEdge: boolean) => {
    const left = Math.max(-8, scale.toPx(fromMs));
    const right = Math.min(scale.widthPx + 8, Math.max(scale.toPx(toMs), left + 2));
    const width = right - left;
    if (width < NARROW_PX) narrow.push([left, Math.max(1, width)]);
    else {
      to.fillStyle = palette.surface;
      to.fillRect(left, from, width, bottom - from);
      to.globalAlpha = 0.6;
      to.fillStyle = wait;
      to.fillRect(left, from, width, bottom - from);
      to.globalAlpha = 1;
      to.fillStyle = palette.waiting;
      to.fillRect(right - 1, from, 1, bottom - from);
      if (hasLeftEdge) to.fillRect(left, from, 1, bottom - from);
    }
    return { left, right, width };
  };
  const narrowWaits: Stripe[] = [];
  for (const { fromMs, toMs } of waits) {
    const { left, width } = hatch(fromMs, toMs, wave.top, narrowWaits, false);
    paintLabel(pen, 'wait', left + width / 2, wave.top + wave.height / 2, width);
  }
  paintStripes(to, wave, palette.waiting, narrowWaits);
  to.textAlign = 'left';
  const narrow: Stripe[] = [];
  const ends = underruns.map(({ fromMs, toMs }) => hatch(fromMs, toMs, top, narrow, true));
  paintStripes(to, { top, height: bottom - top }, palette.waiting, narrow);
  if (top === wave.top) return;
  to.fillStyle = palette.waitingText;
  for (const [at, { fromMs, toMs }] of underruns.entries()) {
    const right = ends[at]?.right ?? 0;
    const text = `underrun ${milliseconds(toMs - fromMs)}`;
    const room = (ends[at + 1]?.left ?? scale.widthPx - AXIS_LABEL_PX) - right - 16;
    // Beside the hatching, over the empty buffer.
    if (to.measureText(text).width <= room) to.fillText(text, right + 8, top + 12);
  }
}

function paintLabel({ to, palette }: Pen, text: string, x: number, y: number, room: number): void {
  const width = to.measureText(text).width + 6;
  if (room < width + 8) return;
  to.fillStyle = palette.surface;
  to.fillRect(x - width / 2, y - 8, width, 16);
  to.fillStyle = palette.waitingText;
  to.textAlign = 'center';
  to.fillText(text, x, y + 0.5);
}

function paintLost({ to, scale, palette, lost: hatching }: Pen, { lost }: LaneItems, wave: Strip): void {
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
    const x = Math.max(left, 0) + 6;
    to.fillStyle = palette.surface;
    to.fillRect(x, wave.top + wave.height / 2 - 8, width, 16);
    to.fillStyle = palette.textMuted;
    to.fillText(text, x + 4, wave.top + wave.height / 2 + 0.5);
  }
}

function paintWords({ to, scale, palette }: Pen, { words }: LaneItems, top: number): void {
  to.textBaseline = 'top';
  to.textAlign = 'left';
  let end = Number.NEGATIVE_INFINITY;
  const newest = words.findLastIndex(({ isHeard }) => isHeard);
  for (const [at, { fromMs, text, turn, isHeard }] of words.entries()) {
    const left = scale.toPx(fromMs);
    if (left < end || left > scale.widthPx) continue;
    // The last word of a turn may be long over, because no other word of the turn follows it.
    const isCurrent = at === newest && words[at + 1]?.turn === turn;
    to.font = `${isCurrent ? 600 : 400} 12px ${palette.sans}`;
    to.fillStyle = isCurrent ? palette.text : isHeard ? palette.textMuted : palette.textSubtle;
    to.fillText(text, left, top);
    end = left + to.measureText(text).width + WORD_SPACE_PX;
  }
}

import type { EventKind, LaneDrawing } from './lanes.ts';
import type { Palette } from './palette.ts';
import { axisLabel, type TimeScale } from './time-scale.ts';

/** Heights of a lane's parts in px, from its top. */
export interface LaneShape {
  height: number;
  chunkTop: number;
  chunkHeight: number;
  audioTop: number;
  audioHeight: number;
  soundTop: number;
  soundHeight: number;
  hasWords: boolean;
}

export const ROOMY: LaneShape = {
  height: 84,
  chunkTop: 6,
  chunkHeight: 18,
  audioTop: 28,
  audioHeight: 6,
  soundTop: 39,
  soundHeight: 24,
  hasWords: true,
};

export const COMPACT: LaneShape = {
  height: 40,
  chunkTop: 4,
  chunkHeight: 14,
  audioTop: 20,
  audioHeight: 3,
  soundTop: 25,
  soundHeight: 11,
  hasWords: false,
};

export const AXIS_HEIGHT = 24;

/** What is still to be heard, beside what was. */
const TO_COME_ALPHA = 0.32;
/** A sound is shown at least so wide. */
const LEAST_PX = 1;

export type Canvas = CanvasRenderingContext2D;

/** Sizes a canvas to the screen's pixels and empties it; null where there is no room or no canvas. */
export function prepare(canvas: HTMLCanvasElement, widthPx: number, heightPx: number): Canvas | null {
  const ratio = devicePixelRatio || 1;
  const width = Math.round(widthPx * ratio);
  const height = Math.round(heightPx * ratio);
  if (width === 0 || height === 0) return null;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  context?.clearRect(0, 0, widthPx, heightPx);
  return context;
}

/** The axis: labels at round times from the origin, and the play head's time on a flag. */
export function paintAxis(
  to: Canvas,
  scale: TimeScale,
  originMs: number,
  headMs: number | null,
  palette: Palette,
): void {
  const ticks = scale.ticks(originMs);
  const majors = ticks.filter(({ isMajor }) => isMajor);
  const stepMs = (majors[1]?.atMs ?? 0) - (majors[0]?.atMs ?? -1000);
  to.font = `400 12px ${palette.mono}`;
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  for (const { atMs, isMajor } of ticks) {
    const x = Math.round(scale.toPx(atMs)) + 0.5;
    to.fillStyle = palette.border;
    to.fillRect(x - 0.5, AXIS_HEIGHT - (isMajor ? 10 : 5), 1, isMajor ? 10 : 5);
    if (!isMajor) continue;
    to.fillStyle = palette.textSubtle;
    to.fillText(axisLabel(atMs - originMs, stepMs), x + 4, AXIS_HEIGHT / 2);
  }
  if (headMs === null) return;
  const label = axisLabel(headMs - originMs, 10);
  const width = to.measureText(label).width + 12;
  const head = scale.toPx(headMs);
  if (head < 0 || head > scale.widthPx) return;
  const left = Math.min(Math.max(0, head - width / 2), scale.widthPx - width);
  to.fillStyle = palette.inverse;
  to.beginPath();
  to.roundRect(left, 2, width, AXIS_HEIGHT - 5, 4);
  to.fill();
  to.fillStyle = palette.onInverse;
  to.fillText(label, left + 6, AXIS_HEIGHT / 2);
}

/** Faint lines through all lanes at the labels of the axis. */
export function paintGrid(
  to: Canvas,
  scale: TimeScale,
  originMs: number,
  height: number,
  palette: Palette,
): void {
  to.fillStyle = palette.border;
  to.globalAlpha = 0.6;
  for (const { atMs, isMajor } of scale.ticks(originMs)) {
    if (isMajor) to.fillRect(Math.round(scale.toPx(atMs)), 0, 1, height);
  }
  to.globalAlpha = 1;
}

export function paintHead(
  to: Canvas,
  scale: TimeScale,
  headMs: number,
  height: number,
  palette: Palette,
): void {
  to.fillStyle = palette.text;
  to.fillRect(Math.round(scale.toPx(headMs)), 0, 1.5, height);
}

/** One lane, its top edge at `top`. */
export function paintLane(
  to: Canvas,
  drawing: LaneDrawing,
  scale: TimeScale,
  top: number,
  shape: LaneShape,
  hue: number,
  palette: Palette,
): void {
  const { full, tint } = palette.voice(hue);
  paintChunks(to, drawing, scale, top, shape, full, tint, palette);
  paintQueued(to, drawing, scale, top, shape, full);
  to.fillStyle = full;
  for (const { px } of drawing.audio) to.fillRect(px, top + shape.audioTop, 1, shape.audioHeight);
  paintSounds(to, drawing, scale, top, shape, full, palette);
  // Over the words, since a silence inside a word parts it.
  paintSilences(to, drawing, scale, top, shape, palette);
  to.fillStyle = palette.textSubtle;
  for (const { px } of drawing.text) to.fillRect(px, top + shape.chunkTop, 1, shape.chunkHeight / 2);
  to.fillStyle = palette.text;
  for (const { px } of drawing.flushes) to.fillRect(px, top + shape.chunkTop - 2, 2.5, shape.chunkHeight + 4);
  for (const { kind, columns } of drawing.events) {
    for (const { px } of columns) paintEvent(to, kind, px + 0.5, top, shape, palette);
  }
  to.fillStyle = palette.border;
  to.fillRect(0, top + shape.height - 1, scale.widthPx, 1);
}

function paintSilences(
  to: Canvas,
  { silences }: LaneDrawing,
  scale: TimeScale,
  top: number,
  shape: LaneShape,
  palette: Palette,
): void {
  to.strokeStyle = palette.waiting;
  to.lineWidth = 1;
  for (const { fromMs, toMs } of silences) {
    const left = Math.max(-8, scale.toPx(fromMs));
    const right = Math.min(scale.widthPx + 8, Math.max(scale.toPx(toMs), left + 2));
    const y = top + shape.soundTop - 4;
    const height = shape.soundHeight + 8;
    to.save();
    to.beginPath();
    to.rect(left, y, right - left, height);
    to.clip();
    to.fillStyle = palette.surface;
    to.fillRect(left, y, right - left, height);
    to.globalAlpha = 0.65;
    to.beginPath();
    for (let x = left - height; x < right; x += 5) {
      to.moveTo(x, y + height);
      to.lineTo(x + height, y);
    }
    to.stroke();
    to.restore();
    to.fillStyle = palette.waiting;
    to.fillRect(right - 1, y, 1, height);
  }
}

function paintChunks(
  to: Canvas,
  { chunks }: LaneDrawing,
  scale: TimeScale,
  top: number,
  shape: LaneShape,
  full: string,
  tint: string,
  palette: Palette,
): void {
  to.font = `450 12px ${palette.sans}`;
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  const y = top + shape.chunkTop;
  for (const [at, { fromMs, toMs, chunk }] of chunks.entries()) {
    const left = scale.toPx(fromMs);
    const width = Math.max(2, scale.toPx(toMs) - left);
    to.fillStyle = tint;
    to.beginPath();
    to.roundRect(left, y, width, shape.chunkHeight, [0, 3, 3, 0]);
    to.fill();
    to.fillStyle = full;
    to.fillRect(left, y, 2, shape.chunkHeight);
    if (shape.chunkHeight < 16 || chunk.text === null) continue;
    // Generation is mostly faster than reading, so the text may run on to the next chunk.
    const next = chunks[at + 1];
    const room = (next ? scale.toPx(next.fromMs) : scale.widthPx) - left - 12;
    const label = shortened(to, chunk.text, Math.min(room, Math.max(width, 120)));
    if (label === '') continue;
    to.fillStyle = palette.text;
    to.fillText(label, Math.max(left, 0) + 8, y + shape.chunkHeight / 2 + 0.5);
  }
}

/** As much of a text as fits, with an ellipsis; nothing where not even a few letters do. */
function shortened(to: Canvas, text: string, room: number): string {
  const LETTER_PX = 6;
  if (room < 4 * LETTER_PX) return '';
  let end = Math.min(text.length, Math.ceil(room / 3));
  if (end === text.length && to.measureText(text).width <= room) return text;
  while (end > 0 && to.measureText(`${text.slice(0, end).trimEnd()}…`).width > room)
    end = Math.floor(end * 0.85);
  return end < 2 ? '' : `${text.slice(0, end).trimEnd()}…`;
}

function paintQueued(
  to: Canvas,
  { queued }: LaneDrawing,
  scale: TimeScale,
  top: number,
  shape: LaneShape,
  full: string,
): void {
  to.strokeStyle = full;
  to.globalAlpha = 0.55;
  to.lineWidth = 1;
  to.setLineDash([1.5, 3]);
  for (const { fromMs, toMs } of queued) {
    const y = top + shape.chunkTop + shape.chunkHeight / 2 + 0.5;
    const x = Math.round(scale.toPx(toMs)) + 0.5;
    to.beginPath();
    to.moveTo(scale.toPx(fromMs) + 4, y);
    to.lineTo(x, y);
    to.lineTo(x, top + shape.soundTop);
    to.stroke();
  }
  to.setLineDash([]);
  to.globalAlpha = 1;
}

function paintSounds(
  to: Canvas,
  { sounds }: LaneDrawing,
  scale: TimeScale,
  top: number,
  shape: LaneShape,
  full: string,
  palette: Palette,
): void {
  const y = top + shape.soundTop;
  to.font = `400 12px ${palette.sans}`;
  to.textBaseline = 'top';
  to.textAlign = 'left';
  let wordsEnd = Number.NEGATIVE_INFINITY;
  for (const { fromMs, toMs, word, isHeard } of sounds) {
    const left = scale.toPx(fromMs);
    // A hair of space keeps words apart that follow one another without a pause.
    const width = Math.max(LEAST_PX, scale.toPx(toMs) - left - (word === null ? 0 : 1));
    if (left > scale.widthPx || left + width < 0) continue;
    to.globalAlpha = isHeard ? 1 : TO_COME_ALPHA;
    to.fillStyle = full;
    to.beginPath();
    to.roundRect(left, y, width, shape.soundHeight, Math.min(3, width / 2));
    to.fill();
    to.globalAlpha = 1;
    if (!shape.hasWords || word === null || left < wordsEnd + 6) continue;
    const wide = to.measureText(word).width;
    if (wide > width + 12) continue;
    to.fillStyle = isHeard ? palette.textMuted : palette.textSubtle;
    to.fillText(word, left, y + shape.soundHeight + 4);
    wordsEnd = left + wide;
  }
}

/** Signs differ in form as well as in colour. */
function paintEvent(
  to: Canvas,
  kind: EventKind,
  x: number,
  top: number,
  shape: LaneShape,
  palette: Palette,
): void {
  const y = top + shape.audioTop + shape.audioHeight / 2;
  to.lineWidth = 1.5;
  switch (kind) {
    case 'keepAlive':
      to.strokeStyle = palette.textMuted;
      to.beginPath();
      to.moveTo(x, y - 4);
      to.lineTo(x + 4, y);
      to.lineTo(x, y + 4);
      to.lineTo(x - 4, y);
      to.closePath();
      to.stroke();
      return;
    case 'opened':
    case 'closeSent':
      to.strokeStyle = palette.textSubtle;
      to.beginPath();
      to.arc(x, y, 3, 0, 2 * Math.PI);
      if (kind === 'closeSent') {
        to.moveTo(x - 5, y);
        to.lineTo(x + 5, y);
      }
      to.stroke();
      return;
    case 'closed':
      to.fillStyle = palette.textMuted;
      to.fillRect(x - 0.75, top + 2, 1.5, shape.height - 5);
      to.fillRect(x - 4, top + 2, 8, 1.5);
      to.fillRect(x - 4, top + shape.height - 4.5, 8, 1.5);
      return;
    case 'cancel':
      to.fillStyle = palette.text;
      to.fillRect(x - 0.75, top + 2, 1.5, shape.height - 5);
      to.beginPath();
      to.roundRect(x - 4, top + 2, 8, 8, 1.5);
      to.fill();
      return;
    case 'refused':
    case 'error':
      to.strokeStyle = palette.failed;
      to.fillStyle = palette.failed;
      to.fillRect(x - 0.75, top + 14, 1.5, shape.height - 17);
      to.beginPath();
      to.moveTo(x, top + 2);
      to.lineTo(x + 7, top + 14);
      to.lineTo(x - 7, top + 14);
      to.closePath();
      to.fill();
      to.fillStyle = palette.surface;
      to.fillRect(x - 0.75, top + 6, 1.5, 4);
      to.fillRect(x - 0.75, top + 11, 1.5, 1.5);
      return;
  }
}

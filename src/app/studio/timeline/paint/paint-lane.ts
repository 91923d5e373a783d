import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { MarkColumn } from '../../../session-client/timeline/lane-store.ts';
import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import { type LaneItems, type SignKind, stripOfMark } from '../geometry/display-list.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import { type Canvas, type Pen, Stripes, shortened } from './canvas.ts';
import { paintBuffer } from './paint-buffer.ts';
import { paintHeard } from './paint-heard.ts';

/** A narrower chunk is only its edge. */
const NARROW_PX = 4;

export function paintSpans(pen: Pen, lane: LaneItems, envelopes: EnvelopeStore): void {
  const { to, scale, palette } = pen;
  const { strips, isOpen, top, height, headHeight } = lane.block;
  const { chunks, audio } = strips;
  if (chunks) paintChunks(pen, lane, inset(chunks, isOpen ? 6 : 0));
  paintQueued(pen, lane);
  if (audio) {
    const within = inset(audio, isOpen ? 8 : 0);
    to.fillStyle = palette.voice(lane.block.hue).full;
    paintTicks(pen, lane.audio.columns, within, isOpen ? 1.5 : 1);
  }
  paintBuffer(pen, lane);
  paintHeard(pen, lane, envelopes);
  to.fillStyle = palette.border;
  const line = (bottom: number) => to.fillRect(0, bottom - 1, scale.widthPx, 1);
  if (headHeight > 0) line(top + headHeight);
  if (!isOpen) line(top + height);
  else for (const strip of Object.values(strips)) if (strip) line(strip.top + strip.height);
}

export function paintMarks(pen: Pen, lane: LaneItems): void {
  const { to, palette } = pen;
  const { strips, isOpen, top, height } = lane.block;
  if (!strips.text) return;
  const within = inset(strips.text, isOpen ? 9 : 0);
  to.fillStyle = palette.textSubtle;
  paintTicks(pen, lane.text.columns, within, 1);
  to.fillStyle = palette.text;
  paintTicks(pen, columnsOf(lane, 'flush'), inset(within, -4), 2.5);
  if (isOpen) paintTextWords(pen, lane, strips.text);
  const all = { top, height: (strips.heard?.top ?? top + height) - top };
  for (const { kind, columns } of lane.signs) {
    if (kind === 'flush') continue;
    const strip = (isOpen && strips[stripOfMark(kind) ?? 'text']) || all;
    for (const { px } of columns) paintSign(pen, kind, px + 0.5, strip.top + 2, strip.height - 5);
  }
}

const inset = ({ top, height }: Strip, px: number): Strip => ({ top: top + px, height: height - 2 * px });

const columnsOf = ({ signs }: LaneItems, kind: SignKind): readonly MarkColumn[] =>
  signs.find((layer) => layer.kind === kind)?.columns ?? [];

/** Paints ticks at pixels. Ticks that touch become one rectangle. */
function paintTicks(
  { to }: Pick<Pen, 'to'>,
  columns: readonly MarkColumn[],
  { top, height }: Strip,
  width: number,
): void {
  for (let at = 0; at < columns.length; at += 1) {
    const first = columns[at];
    if (!first) break;
    let last = first;
    for (let next = columns[at + 1]; next && next.px <= last.px + width; next = columns[at + 1]) {
      last = next;
      at += 1;
    }
    to.fillRect(first.px, top, last.px - first.px + width, height);
  }
}

function paintTextWords({ to, scale, palette }: Pen, lane: LaneItems, { top, height }: Strip): void {
  to.font = `400 12px ${palette.sans}`;
  to.textAlign = 'left';
  to.textBaseline = 'middle';
  to.fillStyle = palette.textSubtle;
  const text = lane.text.columns;
  const flushes = columnsOf(lane, 'flush');
  const cancels = columnsOf(lane, 'cancel');
  const next = (columns: readonly MarkColumn[], px: number): number => {
    const at = lowerBound((index) => columns[index]?.px ?? 0, columns.length, px + 1);
    return columns[at]?.px ?? scale.widthPx;
  };
  for (const [word, columns] of [
    ['flush', flushes],
    ['cancelled', cancels],
  ] as const) {
    const room = to.measureText(word).width + 14;
    for (const { px } of columns) {
      const isFree = [text, flushes, cancels].every((others) => next(others, px) > px + room);
      if (isFree) to.fillText(word, px + 8, top + height / 2 + 0.5);
    }
  }
}

function paintChunks({ to, scale, palette }: Pen, { chunks, block }: LaneItems, strip: Strip): void {
  const { top, height } = strip;
  const { full, tint } = palette.voice(block.hue);
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  const narrow = new Stripes(to, top, height, full);
  for (const [at, { fromMs, toMs, chunk }] of chunks.entries()) {
    const left = scale.toPx(fromMs);
    const width = Math.max(2, scale.toPx(toMs) - left);
    if (width < NARROW_PX) {
      narrow.add(left, Math.min(width, 2));
      continue;
    }
    to.fillStyle = tint;
    to.beginPath();
    to.roundRect(left, top, width, height, [0, 3, 3, 0]);
    to.fill();
    to.fillStyle = full;
    to.fillRect(left, top, 2, height);
    if (height < 16) continue;
    // Generation is mostly faster than speech, so the text may continue up to the next chunk.
    const next = chunks[at + 1];
    const room = (next ? scale.toPx(next.fromMs) : scale.widthPx) - Math.max(left, 0) - 12;
    const x = Math.max(left, 0) + 8;
    const id = String(chunk.id);
    if (room < 12) continue;
    to.font = `500 12px ${palette.mono}`;
    to.fillStyle = full;
    to.fillText(id, x, top + height / 2 + 0.5);
    if (chunk.text === null) continue;
    const indent = to.measureText(id).width + 8;
    to.font = `450 12px ${palette.sans}`;
    const text = shortened(to, chunk.text, Math.min(room, Math.max(width, 160)) - indent);
    if (text === '') continue;
    to.fillStyle = palette.text;
    to.fillText(text, x + indent, top + height / 2 + 0.5);
  }
  narrow.end();
}

function paintQueued({ to, scale, palette }: Pen, { queued, block }: LaneItems): void {
  const { chunks, heard } = block.strips;
  if (queued.length === 0 || !chunks || !heard) return;
  to.strokeStyle = palette.voice(block.hue).full;
  to.globalAlpha = 0.55;
  to.lineWidth = 1;
  to.setLineDash([1.5, 3]);
  for (const { fromMs, toMs } of queued) {
    const y = chunks.top + chunks.height / 2 + 0.5;
    const x = Math.round(scale.toPx(toMs)) + 0.5;
    to.beginPath();
    to.moveTo(scale.toPx(fromMs) + 4, y);
    to.lineTo(x, y);
    to.lineTo(x, heard.top);
    to.stroke();
  }
  to.setLineDash([]);
  to.globalAlpha = 1;
}

function path(to: Canvas, ...corners: readonly (readonly [x: number, y: number])[]): void {
  to.beginPath();
  for (const [x, y] of corners) to.lineTo(x, y);
  to.closePath();
}

/** Paints a single event. Signs differ in form as well as in colour. `top` and `height` are those of its strip. */
export function paintSign(
  { to, palette }: Pen,
  kind: Exclude<SignKind, 'flush'> | 'fault',
  x: number,
  top: number,
  height: number,
): void {
  const y = top + height / 2;
  to.lineWidth = 1.5;
  switch (kind) {
    case 'keepAlive':
      to.strokeStyle = palette.textMuted;
      path(to, [x, y - 4], [x + 4, y], [x, y + 4], [x - 4, y]);
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
    case 'asked':
      to.strokeStyle = palette.text;
      path(to, [x - 3, y - 5], [x + 4, y], [x - 3, y + 5]);
      to.stroke();
      return;
    case 'closed':
      to.fillStyle = palette.textMuted;
      to.fillRect(x - 0.75, top + 2, 1.5, height - 4);
      to.fillRect(x - 4, top + 2, 8, 1.5);
      to.fillRect(x - 4, top + height - 3.5, 8, 1.5);
      return;
    case 'cancel':
      to.fillStyle = palette.text;
      to.fillRect(x - 0.75, top + 2, 1.5, height - 4);
      to.beginPath();
      to.roundRect(x - 4, top + 2, 8, 8, 1.5);
      to.fill();
      return;
    case 'speech':
      // A speech bubble.
      to.fillStyle = palette.text;
      to.beginPath();
      to.roundRect(x - 5, top + 1, 10, 8, 3);
      to.fill();
      path(to, [x - 2, top + 8], [x + 3, top + 8], [x - 2, top + 13]);
      to.fill();
      return;
    case 'paused':
      to.fillStyle = palette.text;
      to.fillRect(x - 4, y - 5, 2.5, 10);
      to.fillRect(x + 1.5, y - 5, 2.5, 10);
      return;
    case 'continued':
      to.fillStyle = palette.text;
      path(to, [x - 3, y - 5], [x + 5, y], [x - 3, y + 5]);
      to.fill();
      return;
    case 'fault':
      to.fillStyle = palette.waiting;
      path(
        to,
        [x + 2, top],
        [x - 6, top + 9],
        [x - 1, top + 9],
        [x - 2, top + 16],
        [x + 6, top + 7],
        [x + 1, top + 7],
      );
      to.fill();
      return;
    case 'refused':
    case 'error':
      to.fillStyle = palette.failed;
      to.fillRect(x - 0.75, top + 13, 1.5, Math.max(0, height - 15));
      path(to, [x, top + 2], [x + 7, top + 14], [x - 7, top + 14]);
      to.fill();
      to.fillStyle = palette.surface;
      to.fillRect(x - 0.75, top + 6, 1.5, 4);
      to.fillRect(x - 0.75, top + 11, 1.5, 1.5);
      return;
  }
}

import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { MarkColumn } from '../../../session-client/timeline/lane-store.ts';
import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { Block, Strip, StripName } from '../geometry/lane-shape.ts';
import type { EventKind, LaneDrawing } from '../geometry/lanes.ts';
import { type Brushes, type Canvas, shortened } from './brushes.ts';
import { type BufferInput, paintBuffer } from './paint-buffer.ts';
import { paintHeard } from './paint-heard.ts';
import { paintEvent, paintTicks } from './paint-marks.ts';
import { Stripes } from './stripes.ts';

export interface LaneTools {
  scale: TimeScale;
  envelopes: EnvelopeStore;
  brushes: Brushes;
}

/** Signs of what came from the server stand at the audio that came, the others at the text that went. */
const COME = new Set<EventKind>(['error', 'refused', 'opened', 'closed']);

/** A chunk this narrow is its edge. */
const NARROW_PX = 4;

/** The block of one context. */
export function paintBlock(
  to: Canvas,
  { top, shape, hue }: Block,
  drawing: LaneDrawing,
  buffer: BufferInput,
  tools: LaneTools,
): void {
  const { scale, brushes } = tools;
  const { palette } = brushes;
  const { full, tint } = palette.voice(hue);
  const strip = (name: StripName): Strip | null => {
    const of = shape.strips[name];
    return of && { top: top + of.top, height: of.height };
  };
  const chunks = strip('chunks');
  const audio = strip('audio');
  const heard = strip('heard');
  const text = strip('text');
  const depth = strip('buffer');

  if (chunks) paintChunks(to, drawing, scale, inset(chunks, shape.isOpen ? 6 : 0), full, tint, brushes);
  if (chunks && heard) paintQueued(to, drawing, scale, chunks, heard, full);
  if (audio) {
    const within = inset(audio, shape.isOpen ? 8 : 0);
    to.fillStyle = full;
    paintTicks(to, drawing.audio, within.top, within.height, shape.isOpen ? 1.5 : 1);
  }
  if (depth) paintBuffer(to, depth, buffer, brushes);
  if (heard) {
    const pad = shape.isOpen ? 2 : 0;
    const wave = { top: heard.top + pad, height: shape.waveHeight };
    const hasWords = heard.height - shape.waveHeight >= 16;
    paintHeard(
      to,
      drawing,
      scale,
      tools.envelopes,
      {
        wave,
        wordsTop: hasWords ? wave.top + wave.height + 3 : null,
        colour: full,
        silenceTop: depth ? depth.top + 1 : wave.top,
      },
      brushes,
    );
  }
  if (text) {
    paintText(to, drawing, inset(text, shape.isOpen ? 9 : 0), brushes);
    if (shape.isOpen) paintTextWords(to, drawing, scale, text, brushes);
    for (const { kind, columns } of drawing.events) {
      const isLow = shape.isOpen && audio;
      const above = shape.strips.heard?.top ?? shape.height;
      const place = isLow ? (COME.has(kind) ? audio : text) : { top, height: above };
      for (const { px } of columns) paintEvent(to, kind, px + 0.5, place.top + 2, place.height - 5, brushes);
    }
  }
  to.fillStyle = palette.border;
  if (shape.isOpen) {
    if (shape.headHeight > 0) to.fillRect(0, top + shape.headHeight - 1, scale.widthPx, 1);
    for (const of of Object.values(shape.strips)) {
      if (of) to.fillRect(0, top + of.top + of.height - 1, scale.widthPx, 1);
    }
  } else to.fillRect(0, top + shape.height - 1, scale.widthPx, 1);
}

const inset = ({ top, height }: Strip, px: number): Strip => ({ top: top + px, height: height - 2 * px });

function paintText(
  to: Canvas,
  { text, flushes }: LaneDrawing,
  { top, height }: Strip,
  { palette }: Brushes,
): void {
  to.fillStyle = palette.textSubtle;
  paintTicks(to, text, top, height, 1);
  to.fillStyle = palette.text;
  paintTicks(to, flushes, top - 4, height + 8, 2.5);
}

/** What the thick ticks are, where nothing else stands in the way. */
function paintTextWords(
  to: Canvas,
  { text, flushes, events }: LaneDrawing,
  scale: TimeScale,
  { top, height }: Strip,
  { palette }: Brushes,
): void {
  to.font = `400 12px ${palette.sans}`;
  to.textAlign = 'left';
  to.textBaseline = 'middle';
  to.fillStyle = palette.textSubtle;
  const cancels = events.find(({ kind }) => kind === 'cancel')?.columns ?? [];
  const behind = (columns: readonly MarkColumn[], px: number): number => {
    const at = lowerBound((index) => columns[index]?.px ?? 0, columns.length, px + 1);
    return columns[at]?.px ?? scale.widthPx;
  };
  for (const [word, columns] of [
    ['flush', flushes],
    ['cancelled', cancels],
  ] as const) {
    const room = to.measureText(word).width + 14;
    for (const { px } of columns) {
      const isFree = [text, flushes, cancels].every((others) => behind(others, px) > px + room);
      if (isFree) to.fillText(word, px + 8, top + height / 2 + 0.5);
    }
  }
}

function paintChunks(
  to: Canvas,
  { chunks }: LaneDrawing,
  scale: TimeScale,
  { top, height }: Strip,
  full: string,
  tint: string,
  { palette }: Brushes,
): void {
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
    // Generation is mostly faster than reading, so the text may run on to the next chunk.
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

function paintQueued(
  to: Canvas,
  { queued }: LaneDrawing,
  scale: TimeScale,
  chunks: Strip,
  heard: Strip,
  full: string,
): void {
  if (queued.length === 0) return;
  to.strokeStyle = full;
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

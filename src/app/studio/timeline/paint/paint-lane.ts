import type { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import type { LaneItems } from '../geometry/display-list.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import { type Pen, paintStripes, type Stripe, shortened } from './canvas.ts';
import { paintBuffer } from './paint-buffer.ts';
import { paintHeard } from './paint-heard.ts';

/** A narrower chunk is only its edge. */
const NARROW_PX = 4;

export function paintSpans(pen: Pen, lane: LaneItems, envelopes: EnvelopeStore): void {
  const { to, scale, palette } = pen;
  const { strips, isOnly, top, height } = lane.block;
  paintChunks(pen, lane, inset(strips.chunks, isOnly ? 6 : 0));
  paintQueued(pen, lane);
  paintBuffer(pen, lane);
  paintHeard(pen, lane, envelopes);
  to.fillStyle = palette.border;
  const line = (bottom: number) => to.fillRect(0, bottom - 1, scale.widthPx, 1);
  if (!isOnly) line(top + height);
  else for (const strip of Object.values(strips)) if (strip) line(strip.top + strip.height);
}

const inset = ({ top, height }: Strip, px: number): Strip => ({ top: top + px, height: height - 2 * px });

function paintChunks({ to, scale, palette }: Pen, { chunks, block }: LaneItems, strip: Strip): void {
  const { top, height } = strip;
  const { full, tint } = palette.voice(block.hue);
  to.textBaseline = 'middle';
  to.textAlign = 'left';
  const narrow: Stripe[] = [];
  for (const [at, { fromMs, toMs, chunk }] of chunks.entries()) {
    const left = scale.toPx(fromMs);
    const width = Math.max(2, scale.toPx(toMs) - left);
    if (width < NARROW_PX) {
      narrow.push([left, Math.min(width, 2)]);
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
  paintStripes(to, strip, full, narrow);
}

function paintQueued({ to, scale, palette }: Pen, { queued, block }: LaneItems): void {
  const { chunks, heard } = block.strips;
  if (queued.length === 0) return;
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

import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { DisplayList, LaneItems, MarkLayer } from '../geometry/display-list.ts';
import type { Strip } from '../geometry/lane-shape.ts';
import { warningSign } from '../marks.ts';
import { type Pen, paintStripes } from './canvas.ts';

/** Paints the marks of one block: ticks, signs and their labels; over them the findings in its sound. */
export function paintMarks(pen: Pen, lane: LaneItems): void {
  const { block, marks } = lane;
  const { strips, isOnly, top, hue } = block;
  const whole = { top, height: strips.heard.top - top };
  for (const layer of marks) {
    const own = layer.strip && strips[layer.strip];
    if (!own) continue;
    paintTicks(pen, layer, own, isOnly, hue);
    if (layer.label && isOnly) paintLabels(pen, layer, marks, own);
    const { top: signTop, height } = isOnly ? own : whole;
    paintSigns(pen, layer, signTop + 2, height - 5);
  }
  paintFindings(pen, lane);
}

/** Paints ticks at pixels. Ticks that touch become one rectangle. */
function paintTicks(
  { to, palette }: Pen,
  { tick, pixels }: MarkLayer,
  { top, height }: Strip,
  isOnly: boolean,
  hue: number,
): void {
  if (!tick) return;
  const shape = isOnly ? 0 : 1;
  const inset = tick.insetPx[shape];
  const colour = tick.colour === 'voice' ? palette.voice(hue).full : palette[tick.colour];
  const within = { top: top + inset, height: height - 2 * inset };
  const stripes = pixels.map((px) => [px, tick.widthPx[shape]] as const);
  paintStripes(to, within, colour, stripes);
}

function paintLabels(
  { to, scale, palette }: Pen,
  { label = '', strip, pixels }: MarkLayer,
  marks: readonly MarkLayer[],
  { top, height }: Strip,
): void {
  to.font = `400 12px ${palette.sans}`;
  to.textAlign = 'left';
  to.textBaseline = 'middle';
  to.fillStyle = palette.textSubtle;
  const room = to.measureText(label).width + 14;
  const beside = marks.filter((other) => other.strip === strip && (other.tick || other.label));
  const next = (others: readonly number[], px: number): number => {
    const at = lowerBound((index) => others[index] ?? 0, others.length, px + 1);
    return others[at] ?? scale.widthPx;
  };
  for (const px of pixels) {
    const isFree = beside.every((other) => next(other.pixels, px) > px + room);
    if (isFree) to.fillText(label, px + 8, top + height / 2 + 0.5);
  }
}

/** `top` and `height` are those of the strip. */
export function paintSigns(
  { to, palette }: Pen,
  { sign, pixels }: Pick<MarkLayer, 'sign' | 'pixels'>,
  top: number,
  height: number,
): void {
  if (!sign || pixels.length === 0) return;
  const path = new Path2D(sign.path(height));
  to.strokeStyle = palette[sign.colour];
  to.fillStyle = palette[sign.colour];
  to.lineWidth = 1.5;
  for (const px of pixels) {
    to.save();
    to.translate(px + 0.5, top);
    if (sign.isOutline) to.stroke(path);
    else to.fill(path);
    to.restore();
  }
}

const FINDING_COLOURS = { violation: 'failed', warning: 'waiting', advice: 'textMuted' } as const;
const WAVE_PX = 3;

/** Paints a wavy line under the sound of each finding, as under a marked field of a frame, and a sign at its start. */
function paintFindings(pen: Pen, { block, findings }: LaneItems): void {
  const { to, scale, palette } = pen;
  for (const { strip, severity, fromMs, toMs } of findings) {
    const own = block.strips[strip];
    const height = strip === 'heard' ? block.waveHeight + 2 : own.height;
    const colour = FINDING_COLOURS[severity];
    const [from, end] = [scale.toPx(fromMs), Math.min(scale.widthPx, scale.toPx(toMs))];
    paintSigns(pen, { sign: { colour, path: warningSign }, pixels: [Math.floor(from)] }, own.top, height);
    to.strokeStyle = palette[colour];
    to.beginPath();
    for (let x = Math.max(0, from), up = 0; x <= end; x += WAVE_PX, up = WAVE_PX - up)
      to.lineTo(x, own.top + height - up);
    to.stroke();
  }
}

export function paintConnectionLines(
  { to, palette }: Pen,
  { connection }: DisplayList,
  heightPx: number,
): void {
  to.lineWidth = 1;
  for (const { line, pixels } of connection) {
    if (!line) continue;
    to.strokeStyle = palette[line.colour];
    to.setLineDash(line.dash);
    to.beginPath();
    for (const px of pixels) {
      to.moveTo(px + 0.5, 0);
      to.lineTo(px + 0.5, heightPx);
    }
    to.stroke();
  }
  to.setLineDash([]);
}

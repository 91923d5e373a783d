import { useEffect, useEffectEvent, useRef } from 'react';
import { peaksOf } from '#lib/waveform.ts';
import { paint } from '../../../browser/paint.ts';
import { onLookChange, type Palette, prepare, readPalette } from '../../timeline/paint/canvas.ts';

const HEIGHT_PX = 88;
const FULL_SCALE = 32_768;
/** Silence is a visible line. */
const LEAST_PX = 1;
/** The neighbouring samples give orientation only. */
const NEIGHBOUR_ALPHA = 0.5;

interface WaveformProps {
  samples: Int16Array;
  /** The part in focus; both sides of it are faint. */
  own: { from: number; count: number };
  hue: number;
  /** Share of the own part that was played, 0 to 1; null while it does not play. Read once a frame while it does. */
  played: () => number | null;
  isPlaying: boolean;
}

export function Waveform(props: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const propsNow = useEffectEvent(() => props);

  useEffect(() => {
    const host = canvas.current;
    if (!host) return;
    let widthPx = host.clientWidth;
    const leavePaint = paint.add(() => {
      const now = propsNow();
      draw(host, widthPx, readPalette(), now);
      return now.isPlaying;
    });
    const leaveLook = onLookChange(host, () => {
      widthPx = host.clientWidth;
      paint.request();
    });
    return () => {
      leavePaint();
      leaveLook();
    };
  }, []);

  // Every change of the props may change the picture.
  useEffect(() => paint.request());

  return <canvas ref={canvas} aria-hidden className="block w-full" style={{ height: HEIGHT_PX }} />;
}

function draw(
  canvas: HTMLCanvasElement,
  widthPx: number,
  palette: Palette,
  { samples, own, hue, played: playedNow }: WaveformProps,
): void {
  const ink = palette.voice(hue);
  const played = playedNow();
  const to = prepare(canvas, widthPx, HEIGHT_PX);
  if (!to || samples.length === 0) return;
  const columns = Math.max(1, Math.floor(widthPx));
  const { min, max } = peaksOf(samples, columns);
  const toX = (sample: number): number => (sample / samples.length) * columns;
  const fromPx = toX(own.from);
  const endPx = toX(own.from + own.count);
  const headPx = played === null ? -1 : fromPx + Math.min(1, played) * (endPx - fromPx);
  const isPart = own.count < samples.length;
  if (isPart) {
    to.fillStyle = ink.tint;
    to.fillRect(fromPx, 0, endPx - fromPx, HEIGHT_PX);
  }
  const toY = (sample: number): number => ((1 - sample / FULL_SCALE) / 2) * HEIGHT_PX;
  for (let column = 0; column < max.length; column += 1) {
    const top = toY(max[column] ?? 0);
    const height = Math.max(LEAST_PX, toY(min[column] ?? 0) - top);
    const isOwn = column >= Math.floor(fromPx) && column < endPx;
    to.fillStyle = !isOwn ? palette.textSubtle : column < headPx ? palette.text : ink.full;
    to.globalAlpha = isOwn ? 1 : NEIGHBOUR_ALPHA;
    to.fillRect(column, Math.min(top, HEIGHT_PX - LEAST_PX), 1, height);
  }
  to.globalAlpha = 1;
  if (isPart) {
    to.fillStyle = ink.full;
    to.fillRect(Math.round(fromPx), 0, 1, HEIGHT_PX);
    to.fillRect(Math.round(endPx) - 1, 0, 1, HEIGHT_PX);
  }
  if (headPx >= 0) {
    to.fillStyle = palette.text;
    to.fillRect(Math.round(headPx), 0, 1, HEIGHT_PX);
  }
}

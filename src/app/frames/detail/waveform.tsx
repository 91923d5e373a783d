import { useEffect, useRef } from 'react';
import { peaksOf } from '../../../lib/waveform.ts';
import { paint } from '../../paint.ts';
import { prepare } from '../../timeline/brushes.ts';
import { onThemeChange, type Palette, readPalette } from '../../timeline/palette.ts';

const HEIGHT_PX = 88;
const FULL_SCALE = 32_768;
/** Silence is a line, not nothing. */
const LEAST_PX = 1;

export interface WaveformProps {
  samples: Int16Array;
  /** 1 to 6. */
  hue: number;
  /** Share of the clip that was played, 0 to 1; null while it does not play. Read once a frame while it does. */
  played: () => number | null;
  isPlaying: boolean;
}

/** Lowest and highest sample of every pixel; the whole width is the whole clip. */
export function Waveform({ samples, hue, played, isPlaying }: WaveformProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef({ samples, hue, played, isPlaying });
  latest.current = { samples, hue, played, isPlaying };

  useEffect(() => {
    const host = canvas.current;
    if (!host) return;
    let palette: Palette | null = null;
    let widthPx = host.clientWidth;
    const leavePaint = paint.add(() => {
      const now = latest.current;
      palette ??= readPalette(host.parentElement ?? document.body);
      draw(host, widthPx, now.samples, palette.voice(now.hue).full, palette.textSubtle, now.played());
      return now.isPlaying;
    });
    const observer = new ResizeObserver(() => {
      widthPx = host.clientWidth;
      paint.request();
    });
    observer.observe(host);
    const leaveTheme = onThemeChange(() => {
      palette = null;
      paint.request();
    });
    return () => {
      leavePaint();
      leaveTheme();
      observer.disconnect();
    };
  }, []);

  // Whatever has changed, the picture may have as well.
  useEffect(() => paint.request());

  return <canvas ref={canvas} aria-hidden className="block w-full" style={{ height: HEIGHT_PX }} />;
}

function draw(
  canvas: HTMLCanvasElement,
  widthPx: number,
  samples: Int16Array,
  ahead: string,
  behind: string,
  played: number | null,
): void {
  const to = prepare(canvas, widthPx, HEIGHT_PX);
  if (!to) return;
  const columns = Math.max(1, Math.floor(widthPx));
  const { min, max } = peaksOf(samples, columns);
  const headPx = played === null ? -1 : Math.min(1, played) * columns;
  const toY = (sample: number): number => ((1 - sample / FULL_SCALE) / 2) * HEIGHT_PX;
  for (let column = 0; column < max.length; column += 1) {
    const top = toY(max[column] ?? 0);
    const height = Math.max(LEAST_PX, toY(min[column] ?? 0) - top);
    to.fillStyle = column < headPx ? behind : ahead;
    to.fillRect(column, Math.min(top, HEIGHT_PX - LEAST_PX), 1, height);
  }
  if (headPx >= 0) {
    to.fillStyle = behind;
    to.fillRect(Math.round(headPx), 0, 1, HEIGHT_PX);
  }
}

import type { Palette } from './palette.ts';

export type Canvas = CanvasRenderingContext2D;

type Fill = string | CanvasPattern;

/** What lanes are painted with. */
export interface Brushes {
  palette: Palette;
  /** Amber hatching: silence that the listener sat through, and nothing else. */
  wait: Fill;
  /** Received and never heard: the other way, and neutral. */
  lost: Fill;
}

const TILE_PX = 6;

/** Hatching as a pattern: filling with it costs what a plain fill costs, however many places are hatched. */
export function brushesOf(palette: Palette, to: Canvas): Brushes {
  return {
    palette,
    wait: hatching(to, palette.waiting, 'up') ?? palette.waiting,
    lost: hatching(to, palette.textSubtle, 'down') ?? palette.textSubtle,
  };
}

function hatching(to: Canvas, colour: string, way: 'up' | 'down'): CanvasPattern | null {
  const ratio = devicePixelRatio || 1;
  const side = Math.max(2, Math.round(TILE_PX * ratio));
  const tile = document.createElement('canvas');
  tile.width = side;
  tile.height = side;
  const on = tile.getContext('2d');
  if (!on) return null;
  on.strokeStyle = colour;
  on.lineWidth = ratio;
  on.lineCap = 'square';
  if (way === 'down') on.setTransform(-1, 0, 0, 1, side, 0);
  on.beginPath();
  // Three lines, so that the corners are filled where tiles meet.
  for (const shift of [-side, 0, side]) {
    on.moveTo(shift, side);
    on.lineTo(shift + side, 0);
  }
  on.stroke();
  const pattern = to.createPattern(tile, 'repeat');
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern;
}

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

/** As much of a text as fits, with an ellipsis; nothing where not even a few letters do. */
export function shortened(to: Canvas, text: string, room: number): string {
  const LETTER_PX = 6;
  if (room < 4 * LETTER_PX) return '';
  let end = Math.min(text.length, Math.ceil(room / 3));
  if (end === text.length && to.measureText(text).width <= room) return text;
  while (end > 0 && to.measureText(`${text.slice(0, end).trimEnd()}…`).width > room)
    end = Math.floor(end * 0.85);
  return end < 2 ? '' : `${text.slice(0, end).trimEnd()}…`;
}

import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { HUES } from '../../../ui/voice-hue.ts';
import type { Strip } from '../geometry/lane-shape.ts';

export type Canvas = CanvasRenderingContext2D;

export interface Brushes {
  palette: Palette;
  /** Amber hatching, only for silence that the listener sat through. */
  wait: string | CanvasPattern;
  /** Neutral hatching in the other direction, for audio that was never heard. */
  lost: string | CanvasPattern;
}

export interface Pen extends Brushes {
  to: Canvas;
  scale: TimeScale;
}

const TILE_PX = 6;

let darkness: MediaQueryList | null = null;

function systemIsDark(): MediaQueryList {
  darkness ??= matchMedia('(prefers-color-scheme: dark)');
  return darkness;
}

/** Hatching is a pattern, which costs the same as a plain fill. */
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

/** Sizes a canvas to the screen's pixels and clears it. Returns its context; null without an area. */
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

/** Returns a text cut to a width with an ellipsis; empty if not even a few letters fit. */
export function shortened(to: Canvas, text: string, widthPx: number): string {
  const LETTER_PX = 6;
  if (widthPx < 4 * LETTER_PX) return '';
  let end = Math.min(text.length, Math.ceil(widthPx / 3));
  if (end === text.length && to.measureText(text).width <= widthPx) return text;
  while (end > 0 && to.measureText(`${text.slice(0, end).trimEnd()}…`).width > widthPx)
    end = Math.floor(end * 0.85);
  return end < 2 ? '' : `${text.slice(0, end).trimEnd()}…`;
}

export type Stripe = readonly [left: number, width: number];

/** Paints rectangles of one height, in the order of their left edges. Those that touch become one fill. */
export function paintStripes(
  to: Canvas,
  { top, height }: Strip,
  fill: string,
  stripes: readonly Stripe[],
): void {
  to.fillStyle = fill;
  const [first = [0, 0]] = stripes;
  let [from] = first;
  let until = from;
  for (const [left, width] of stripes) {
    if (left > until) {
      to.fillRect(from, top, until - from, height);
      from = left;
    }
    until = Math.max(until, left + width);
  }
  if (until > from) to.fillRect(from, top, until - from, height);
}

export type Palette = ReturnType<typeof resolvePalette>;

let read: { theme: string; palette: Palette } | null = null;

/** Returns the colours of the theme. They are resolved once, because each of them costs a computation of styles. */
export function readPalette(): Palette {
  const theme = `${document.documentElement.dataset.theme} ${systemIsDark().matches}`;
  if (read?.theme !== theme) read = { theme, palette: resolvePalette() };
  return read.palette;
}

function resolvePalette() {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  // Only a computed style resolves a token that is a formula.
  const resolve = (value: string): string => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const voices = Array.from({ length: HUES }, (_, at) => {
    probe.dataset.voice = String(at + 1);
    return { full: resolve('var(--voice)'), tint: resolve('var(--voice-tint)') };
  });
  const [first = { full: 'currentColor', tint: 'transparent' }] = voices;
  const palette = {
    surface: resolve('var(--surface)'),
    border: resolve('var(--border)'),
    borderStrong: resolve('var(--border-strong)'),
    /** A wash over selected items. */
    selected: resolve('var(--selected)'),
    text: resolve('var(--text)'),
    textMuted: resolve('var(--text-muted)'),
    textSubtle: resolve('var(--text-subtle)'),
    /** For fills. */
    waiting: resolve('var(--waiting-fill)'),
    waitingText: resolve('var(--waiting)'),
    failed: resolve('var(--failed)'),
    inverse: resolve('var(--inverse)'),
    onInverse: resolve('var(--on-inverse)'),
    /** By hue, 1 to 6. */
    voice: (hue: number) => voices[hue - 1] ?? first,
    sans: getComputedStyle(document.body).fontFamily,
    mono: '"JetBrains Mono Variable", ui-monospace, monospace',
  };
  probe.remove();
  return palette;
}

/** Calls back when the size of an element or the theme changes. Returns the function that ends it. */
export function onLookChange(host: HTMLElement, changed: () => void): () => void {
  const size = new ResizeObserver(changed);
  size.observe(host);
  const theme = new MutationObserver(changed);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const system = systemIsDark();
  system.addEventListener('change', changed);
  return () => {
    size.disconnect();
    theme.disconnect();
    system.removeEventListener('change', changed);
  };
}

import type { Brushes, Canvas } from '../paint/canvas.ts';

/** One canvas call with the style at that time. */
export interface Painted {
  name: string;
  args: readonly unknown[];
  fill: unknown;
  stroke: unknown;
  alpha: unknown;
}

const LETTER_PX = 6;

/** A canvas that records its calls in order. Every letter is 6 px wide. */
export function recordingCanvas(): { to: Canvas; painted: Painted[] } {
  const painted: Painted[] = [];
  const look: Record<string | symbol, unknown> = { globalAlpha: 1 };
  const to = new Proxy(look, {
    get: (of, key) => {
      if (key in of) return of[key];
      if (key === 'measureText') return (text: string) => ({ width: text.length * LETTER_PX });
      return (...args: unknown[]) => {
        painted.push({
          name: String(key),
          args,
          fill: of.fillStyle,
          stroke: of.strokeStyle,
          alpha: of.globalAlpha,
        });
      };
    },
  });
  return { to: to as unknown as Canvas, painted };
}

/** Every colour is its name. */
export const namedBrushes: Brushes = {
  wait: 'wait hatching',
  lost: 'lost hatching',
  palette: {
    surface: 'surface',
    border: 'border',
    borderStrong: 'border-strong',
    selected: 'selected',
    text: 'text',
    textMuted: 'text-muted',
    textSubtle: 'text-subtle',
    waiting: 'waiting',
    waitingText: 'waiting-text',
    failed: 'failed',
    inverse: 'inverse',
    onInverse: 'on-inverse',
    voice: (hue) => ({ full: `voice ${hue}`, tint: `tint ${hue}` }),
    sans: 'sans',
    mono: 'mono',
  },
};

/** The texts that were painted. */
export const paintedTexts = (painted: readonly Painted[]): unknown[] =>
  painted.filter(({ name }) => name === 'fillText').map(({ args }) => args[0]);

/** The filled rectangles of a colour: left, top, width, height. */
export const rectsOf = (painted: readonly Painted[], fill: string): number[][] =>
  painted
    .filter((one) => one.name === 'fillRect' && one.fill === fill)
    .map(({ args }) => args.map((value) => Number(value)));

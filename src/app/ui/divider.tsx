import type { KeyboardEvent, PointerEvent } from 'react';
import { cx } from './cx.ts';

export interface DividerProps {
  label: string;
  /** A `column` stands between panes side by side, a `row` between panes one below the other. */
  line: 'column' | 'row';
  /** The pane whose size it sets: its neighbour before or behind it, whose style has the limits as well. */
  pane: 'before' | 'behind';
  /** Of the pane, in px; null where its style alone decides. */
  size: number | null;
  min: number;
  max: number;
  /** Called with the new size once it is released, or moved by a key. */
  onChange: (px: number) => void;
}

const KEY_STEP_PX = 24;

/** Where `Home` and `End` move it to, which the limits stop. */
const FAR_PX = 100_000;

const KEYS = {
  column: { ArrowLeft: -KEY_STEP_PX, ArrowRight: KEY_STEP_PX, Home: -FAR_PX, End: FAR_PX },
  row: { ArrowUp: -KEY_STEP_PX, ArrowDown: KEY_STEP_PX, Home: -FAR_PX, End: FAR_PX },
};

/** The line between two panes of a flex box, which a person moves. */
export function Divider({ label, line, pane, size, min, max, onChange }: DividerProps) {
  const isColumn = line === 'column';
  const neighbourOf = (node: HTMLElement) =>
    (pane === 'before' ? node.previousElementSibling : node.nextElementSibling) as HTMLElement;
  const sizeOf = (node: HTMLElement): number => {
    const { width, height } = neighbourOf(node).getBoundingClientRect();
    return Math.round(isColumn ? width : height);
  };
  const resized = (from: number, moved: number): number =>
    Math.min(max, Math.max(min, from + (pane === 'before' ? moved : -moved)));

  const grab = (event: PointerEvent<HTMLElement>) => {
    const node = event.currentTarget;
    const positionOf = ({ clientX, clientY }: globalThis.PointerEvent) => (isColumn ? clientX : clientY);
    const from = sizeOf(node);
    const start = positionOf(event.nativeEvent);
    let px = from;
    node.setPointerCapture(event.pointerId);
    // Past React, because what is in the panes is not rendered again for a new size.
    const move = (moved: globalThis.PointerEvent) => {
      px = resized(from, positionOf(moved) - start);
      neighbourOf(node).style.flexBasis = `${px}px`;
    };
    node.addEventListener('pointermove', move);
    const release = () => {
      node.removeEventListener('pointermove', move);
      if (px !== from) onChange(px);
    };
    node.addEventListener('lostpointercapture', release, { once: true });
  };

  const press = (event: KeyboardEvent<HTMLElement>) => {
    const moved = (KEYS[line] as Partial<Record<string, number>>)[event.key];
    if (moved === undefined) return;
    event.preventDefault();
    onChange(resized(sizeOf(event.currentTarget), moved));
  };

  return (
    <hr
      tabIndex={0}
      aria-label={label}
      aria-orientation={isColumn ? 'vertical' : 'horizontal'}
      aria-valuenow={size ?? min}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={grab}
      onKeyDown={press}
      className={cx('divider shrink-0 touch-none', isColumn ? 'divider-column' : 'divider-row')}
    />
  );
}

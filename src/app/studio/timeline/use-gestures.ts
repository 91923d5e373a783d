import { type PointerEvent, useRef } from 'react';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';

/** Farther than this is a drag, nearer a press. */
const DRAG_PX = 4;
/** An edge of a span can be taken within this distance. */
const HANDLE_PX = 6;

export interface GestureHandlers {
  /** Pressed without dragging, in px of the canvas. */
  press(x: number, y: number): void;
  /** The pointer is there; null: it has left, or does something. */
  hover(at: { x: number; y: number } | null): void;
}

type Drag =
  | { kind: 'press' | 'pan'; x: number; y: number; fromX: number }
  /** `otherMs`: the end that stays. */
  | { kind: 'span'; otherMs: number }
  | { kind: 'pinch' };

interface Finger {
  x: number;
  y: number;
}

/**
 * Pointer on the lanes: drag pans, with Shift or while measuring it draws a span, an edge of a span can be moved, two
 * fingers zoom, and what is no drag is a press.
 */
export function useGestures(state: TimelineState, handlers: GestureHandlers) {
  const fingers = useRef(new Map<number, Finger>());
  const drag = useRef<Drag | null>(null);

  const placeOf = (event: PointerEvent<HTMLElement>): Finger => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const begin = (event: PointerEvent<HTMLElement>): Drag | null => {
    const { x, y } = placeOf(event);
    const { scale } = state;
    const { span, isMeasuring } = state.look.getState();
    if (!scale) return null;
    if (span) {
      if (Math.abs(scale.toPx(span.fromMs) - x) <= HANDLE_PX) return { kind: 'span', otherMs: span.toMs };
      if (Math.abs(scale.toPx(span.toMs) - x) <= HANDLE_PX) return { kind: 'span', otherMs: span.fromMs };
    }
    if (event.shiftKey || isMeasuring) return { kind: 'span', otherMs: scale.toMs(x) };
    return { kind: 'press', x, y, fromX: x };
  };

  const pinch = (id: number, to: Finger) => {
    const from = fingers.current.get(id);
    const other = [...fingers.current].find(([key]) => key !== id)?.[1];
    if (!from || !other) return;
    const before = Math.max(8, Math.abs(from.x - other.x));
    const after = Math.max(8, Math.abs(to.x - other.x));
    state.move((of) => of.zoom(after / before, (from.x + other.x) / 2).pan((from.x - to.x) / 2));
  };

  const drawSpan = (otherMs: number, x: number) => {
    const ms = state.scale?.toMs(x) ?? otherMs;
    state.look.setState({ span: { fromMs: Math.min(ms, otherMs), toMs: Math.max(ms, otherMs) } });
  };

  const end = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
    drag.current = null;
  };

  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, placeOf(event));
      drag.current = fingers.current.size > 1 ? { kind: 'pinch' } : begin(event);
      if (event.pointerType === 'touch') handlers.hover(null);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const at = placeOf(event);
      const now = drag.current;
      if (!now) {
        handlers.hover(at);
        return;
      }
      handlers.hover(null);
      if (now.kind === 'pinch') pinch(event.pointerId, at);
      else if (now.kind === 'span') drawSpan(now.otherMs, at.x);
      else if (now.kind === 'pan') {
        state.move((of) => of.pan(now.x - at.x));
        drag.current = { ...now, x: at.x };
      } else if (Math.abs(at.x - now.fromX) > DRAG_PX) {
        state.move((of) => of.pan(now.fromX - at.x));
        drag.current = { ...now, kind: 'pan', x: at.x };
      }
      fingers.current.set(event.pointerId, at);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const now = drag.current;
      end(event);
      if (now?.kind === 'press') handlers.press(now.x, now.y);
      if (now?.kind === 'span') {
        // A press where a span might have begun takes the one away that is there.
        const { span } = state.look.getState();
        const isNone = span && state.scale && (span.toMs - span.fromMs) / state.scale.msPerPx < DRAG_PX;
        if (isNone) state.look.setState({ span: null });
      }
    },
    onPointerCancel: end,
    onPointerLeave: () => handlers.hover(null),
  };
}

import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';

/** A longer movement is a drag, a shorter one a press. */
const DRAG_PX = 4;
const HANDLE_PX = 6;

interface Position {
  x: number;
  y: number;
}

interface GestureHandlers {
  /** Pressed without dragging. */
  press(x: number, y: number): void;
  /** null: the pointer has left, or drags. */
  hover(at: Position | null): void;
}

type Drag =
  | { kind: 'press' | 'pan'; x: number; y: number; fromX: number }
  /** `otherMs`: the end that is not dragged. */
  | { kind: 'span'; otherMs: number }
  | { kind: 'pinch' };

/** Dragging pans; with Shift or while measuring it draws a span. Edges of a span move, two fingers zoom. */
export function useGestures(state: TimelineState, handlers: GestureHandlers) {
  const fingers = useRef(new Map<number, Position>());
  const drag = useRef<Drag | null>(null);

  const positionOf = (event: PointerEvent<HTMLElement>): Position => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  const begin = (event: PointerEvent<HTMLElement>): Drag | null => {
    const { x, y } = positionOf(event);
    const { scale } = state;
    const { span, isMeasuring } = state.look.getState();
    if (!scale) return null;
    const isAt = (ms: number) => Math.abs(scale.toPx(ms) - x) <= HANDLE_PX;
    if (span && isAt(span.fromMs)) return { kind: 'span', otherMs: span.toMs };
    if (span && isAt(span.toMs)) return { kind: 'span', otherMs: span.fromMs };
    if (event.shiftKey || isMeasuring) return { kind: 'span', otherMs: scale.toMs(x) };
    return { kind: 'press', x, y, fromX: x };
  };

  const pinch = (id: number, to: Position) => {
    const from = fingers.current.get(id);
    const other = [...fingers.current].find(([key]) => key !== id)?.[1];
    if (!from || !other) return;
    const before = Math.max(8, Math.abs(from.x - other.x));
    const after = Math.max(8, Math.abs(to.x - other.x));
    state.move((of) => of.zoom(after / before, (from.x + other.x) / 2).pan((from.x - to.x) / 2));
  };

  const drawSpan = (otherMs: number, x: number) => {
    const ms = state.scale?.toMs(x) ?? otherMs;
    const span = { fromMs: Math.min(ms, otherMs), toMs: Math.max(ms, otherMs) };
    state.look.setState({ span, isFollowing: false });
  };

  const end = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
    drag.current = null;
  };

  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      fingers.current.set(event.pointerId, positionOf(event));
      drag.current = fingers.current.size > 1 ? { kind: 'pinch' } : begin(event);
      if (event.pointerType === 'touch') handlers.hover(null);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const at = positionOf(event);
      const now = drag.current;
      handlers.hover(now ? null : at);
      if (!now) return;
      if (now.kind === 'pinch') pinch(event.pointerId, at);
      else if (now.kind === 'span') drawSpan(now.otherMs, at.x);
      else if (now.kind === 'pan' || Math.abs(at.x - now.fromX) > DRAG_PX) {
        state.move((of) => of.pan(now.x - at.x));
        drag.current = { ...now, kind: 'pan', x: at.x };
      }
      fingers.current.set(event.pointerId, at);
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const now = drag.current;
      end(event);
      if (now?.kind === 'press') handlers.press(now.x, now.y);
      if (now?.kind === 'span') {
        // A press in place of a drag removes the span.
        const { span } = state.look.getState();
        const isEmpty = span && state.scale && (span.toMs - span.fromMs) / state.scale.msPerPx < DRAG_PX;
        if (isEmpty) state.look.setState({ span: null });
      }
    },
    onPointerCancel: end,
    onPointerLeave: () => handlers.hover(null),
  };
}

/** Px of wheel for a zoom by a factor of e. */
const WHEEL_PX = 300;

/** The wheel zooms, and pans sideways or with Shift. Lanes higher than their room scroll, and zoom with Ctrl. */
export function useWheel(
  scroller: RefObject<HTMLElement | null>,
  field: RefObject<HTMLElement | null>,
  state: TimelineState,
): void {
  useEffect(() => {
    const host = scroller.current;
    if (!host) return;
    const turn = (event: WheelEvent) => {
      const scrolls = host.scrollHeight > host.clientHeight + 1;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        event.preventDefault();
        state.move((of) => of.pan(event.deltaX || event.deltaY));
      } else if (field.current && (event.ctrlKey || event.metaKey || !scrolls)) {
        event.preventDefault();
        const px = event.clientX - field.current.getBoundingClientRect().left;
        state.move((of) => of.zoom(Math.exp(-event.deltaY / WHEEL_PX), Math.max(0, px)));
      }
    };
    // React's wheel listeners are passive, and could not keep the page from zooming.
    host.addEventListener('wheel', turn, { passive: false });
    return () => host.removeEventListener('wheel', turn);
  }, [scroller, field, state]);
}

import { type RefObject, useEffect, useRef } from 'react';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';

/** Px of wheel for a zoom by a factor of e. */
const WHEEL_PX = 300;

/**
 * The wheel zooms about the pointer; sideways, or with Shift, it pans. Where the lanes are higher than their room it
 * scrolls them, and zooms with Ctrl.
 */
export function useWheel(
  scroller: RefObject<HTMLElement | null>,
  field: RefObject<HTMLElement | null>,
  state: TimelineState,
  isThere: boolean,
): void {
  const act = useRef((_: WheelEvent) => {});
  act.current = (event) => {
    const host = scroller.current;
    const canvas = field.current;
    if (!host || !canvas) return;
    const isZoom = event.ctrlKey || event.metaKey;
    const scrolls = host.scrollHeight > host.clientHeight + 1;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      state.move((of) => of.pan(event.deltaX || event.deltaY));
    } else if (isZoom || !scrolls) {
      event.preventDefault();
      const px = event.clientX - canvas.getBoundingClientRect().left;
      state.move((of) => of.zoom(Math.exp(-event.deltaY / WHEEL_PX), Math.max(0, px)));
    }
  };
  // React listens to wheels passively, which could not keep the page from zooming.
  useEffect(() => {
    const host = scroller.current;
    if (!isThere || !host) return;
    const turn = (event: WheelEvent) => act.current(event);
    host.addEventListener('wheel', turn, { passive: false });
    return () => host.removeEventListener('wheel', turn);
  }, [scroller, isThere]);
}

import { wallMs } from '#lib/wall-clock.ts';
import { PaintScheduler } from './paint-scheduler.ts';
import { STILL_MEDIA } from './use-media.ts';

/** The page's scheduler, the only user of `requestAnimationFrame`. Its clock is the one of `session/views.ts`. */
export const paint = new PaintScheduler((callback) => requestAnimationFrame(callback), wallMs);

/** Shortest time between two paints of a moving picture where the system asks for reduced motion. */
const STEP_MS = 250;

let reduced: MediaQueryList | undefined;

/** Whether a moving picture skips this frame, because the system asks for reduced motion. */
export function isStill(paintedMs: number, nowMs: number): boolean {
  reduced ??= matchMedia(STILL_MEDIA);
  return reduced.matches && nowMs - paintedMs < STEP_MS;
}

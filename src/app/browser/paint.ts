import { wallMs } from '#lib/wall-clock.ts';
import { PaintScheduler } from './paint-scheduler.ts';
import { STILL_MEDIA } from './use-media.ts';

/** The page's scheduler, the only user of `requestAnimationFrame`. Its clock is the one of `session/views.ts`. */
export const paint = new PaintScheduler((callback) => requestAnimationFrame(callback), wallMs);

/** Where the system asks for reduced motion, pictures of what goes on change no more often. */
const STEP_MS = 250;

let reduced: MediaQueryList | undefined;

/** Whether a picture that moves by itself stays as it was painted. */
export function isStill(paintedMs: number, nowMs: number): boolean {
  reduced ??= matchMedia(STILL_MEDIA);
  return reduced.matches && nowMs - paintedMs < STEP_MS;
}

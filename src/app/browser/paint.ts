import { wallMs } from '#lib/wall-clock.ts';
import { PaintScheduler } from './paint-scheduler.ts';

/** The page's scheduler, the only user of `requestAnimationFrame`. Its clock is the one of `session/views.ts`. */
export const paint = new PaintScheduler((callback) => requestAnimationFrame(callback), wallMs);

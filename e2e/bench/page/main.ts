import type { FrameHandlingFigures } from './frame-handling.worker.ts';
import { measureTimeline, type TimelineFigures } from './timeline.ts';

declare global {
  interface Window {
    /** Called by the bench through Playwright. */
    measureFrameHandling(): Promise<FrameHandlingFigures[]>;
    /** Paints each session so many times. */
    measureTimeline(rounds: number): Promise<TimelineFigures[]>;
  }
}

window.measureTimeline = measureTimeline;

window.measureFrameHandling = () =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./frame-handling.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
  });

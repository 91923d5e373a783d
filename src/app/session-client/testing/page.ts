import { vi } from 'vitest';
import type { Command, Report } from '#session/messages.ts';

/** Fake session worker, driven by the test. `last` is the newest one. */
export class FakeWorker {
  static last: FakeWorker | null = null;
  readonly commands: Command[] = [];
  isTerminated = false;
  onmessage: ((event: { data: Report }) => void) | null = null;
  onerror: (() => void) | null = null;

  constructor() {
    FakeWorker.last = this;
  }

  postMessage(command: Command): void {
    this.commands.push(command);
  }

  terminate(): void {
    this.isTerminated = true;
  }

  report(report: Report): void {
    this.onmessage?.({ data: report });
  }
}

/** Stubs the page's globals for session clients. `paintFrame` paints a frame. */
export function fakePage(): { paintFrame: () => void } {
  let frames: (() => void)[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { readyState: 'complete' });
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4173' });
  return {
    paintFrame: () => {
      const due = frames;
      frames = [];
      for (const frame of due) frame();
    },
  };
}

import { onTestFinished, vi } from 'vitest';
import type { Command, Report } from '#session/commands.ts';
import { paint } from '../../browser/paint.ts';
import { useFaults } from '../../stores/faults-store.ts';
import { useScene } from '../../stores/scene-store.ts';
import { useSettings } from '../../stores/settings-store.ts';

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

/**
 * Stubs the page's globals for session clients and starts a fake clock. `paintFrame` paints a frame. Everything that the
 * page has begun ends with the test, because other test files run on the same modules.
 */
export function fakePage(): { paintFrame: () => void } {
  vi.useFakeTimers();
  const frames: (() => void)[] = [];
  const paintFrame = () => {
    for (const frame of frames.splice(0)) frame();
  };
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('window', new EventTarget());
  vi.stubGlobal('navigator', {});
  vi.stubGlobal('document', { readyState: 'complete' });
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:4173' });
  const begun = [
    vi.spyOn(paint, 'add'),
    ...[useSettings, useFaults, useScene].map((store) => vi.spyOn(store, 'subscribe')),
  ];
  onTestFinished(() => {
    for (const spy of begun) {
      for (const { type, value } of spy.mock.results) if (type === 'return') value();
      spy.mockRestore();
    }
    while (frames.length > 0) paintFrame();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    FakeWorker.last = null;
  });
  return { paintFrame };
}

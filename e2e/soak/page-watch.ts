import type { Page } from '@playwright/test';
import type { Report } from '#session/messages.ts';
import type { Stall } from '../bench/stalls.ts';

/** An underrun of a live turn. */
export interface HeardUnderrun {
  endpoint: string;
  turn: number;
  /** Ms since 1970. */
  atMs: number;
  lengthMs: number;
}

/** What a page has done since it was opened. */
export interface PageFigures {
  /** Turns that were heard, and of these the ones that were cut off. */
  turns: number;
  cutOff: number;
  frames: number;
  underruns: HeardUnderrun[];
  /** Audio that the page keeps so that turns can be heard again, up to half an hour. */
  keptAudioBytes: number;
  /** Of the page's own thread, since the last question. */
  stalls: Stall[];
}

/** Notes the reports of session workers and the stalls of the page. Must be called before the page is opened. */
export async function watchPage(page: Page): Promise<void> {
  // tsx names functions by a helper that the page, into which they are carried, does not have.
  await page.addInitScript('globalThis.__name = (value) => value');
  await page.addInitScript(noteReports);
}

/** Runs in the page. The product carries no code for it: workers are noticed as they are made. */
function noteReports(): void {
  const figures = { frames: 0, stalls: [] as Stall[] };
  /** By worker and turn. */
  const turns = new Map<
    string,
    { isCutOff: boolean; isHeard: boolean; keptSamples: number; underruns: HeardUnderrun[] }
  >();
  let workers = 0;
  const NativeWorker = window.Worker;
  window.Worker = class extends NativeWorker {
    constructor(...made: ConstructorParameters<typeof Worker>) {
      super(...made);
      workers += 1;
      const worker = workers;
      let received = 0;
      this.addEventListener('message', ({ data }: MessageEvent<Report>) => {
        if (data.type !== 'update' || data.run !== null) return;
        const { connection, turns: changed = [] } = data.update;
        if (connection) {
          figures.frames += Math.max(0, connection.framesReceived - received);
          received = connection.framesReceived;
        }
        for (const { id, endpoint, silencedMs, heardFromMs, underruns, replayable, samples } of changed) {
          turns.set(`${worker} ${id}`, {
            isCutOff: silencedMs !== null,
            isHeard: heardFromMs !== null,
            keptSamples: replayable ? samples : 0,
            underruns: underruns.map(({ atMs, lengthMs }) => ({
              endpoint,
              turn: id,
              atMs,
              lengthMs: lengthMs ?? 0,
            })),
          });
        }
      });
    }
  };
  let lastMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    const ms = nowMs - lastMs - 20;
    if (ms > 60 && figures.stalls.length < 10_000) figures.stalls.push({ atMs: Date.now(), ms });
    lastMs = nowMs;
  }, 20);
  Object.assign(window, {
    soakFigures: () => {
      const all = [...turns.values()];
      const heard = all.filter(({ isHeard }) => isHeard);
      return {
        turns: heard.length,
        cutOff: heard.filter(({ isCutOff }) => isCutOff).length,
        frames: figures.frames,
        underruns: all.flatMap(({ underruns }) => underruns),
        keptAudioBytes: all.reduce((sum, { keptSamples }) => sum + 2 * keptSamples, 0),
        stalls: figures.stalls.splice(0),
      };
    },
  });
}

export const pageFigures = (page: Page): Promise<PageFigures> =>
  page.evaluate(() => (window as unknown as { soakFigures: () => PageFigures }).soakFigures());

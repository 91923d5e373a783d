import type { Page } from '@playwright/test';
import type { Report } from '#session/commands.ts';

/** An underrun of a live turn. */
export interface HeardUnderrun {
  endpoint: string;
  turn: number;
  /** Ms since 1970. */
  atMs: number;
  lengthMs: number;
  /** From the underrun until its audio came; below 0 where the audio was there, null where it never came. */
  audioLateMs: number | null;
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
  /** The worker that sends the reports; null before the first one. */
  sessionWorkerUrl: string | null;
}

/** Notes the reports of session workers. Must be called before the page is opened. */
export async function watchPage(page: Page): Promise<void> {
  // tsx names functions by a helper that the page, into which they are carried, does not have.
  await page.addInitScript('globalThis.__name = (value) => value');
  await page.addInitScript(noteReports);
}

/** Runs in the page. The product carries no code for it: workers are noticed as they are made. */
function noteReports(): void {
  interface WatchedTurn {
    isCutOff: boolean;
    isHeard: boolean;
    keptSamples: number;
    underruns: HeardUnderrun[];
  }
  const figures = { frames: 0, sessionWorkerUrl: null as string | null };
  /** By worker and turn. */
  const turns = new Map<string, WatchedTurn>();
  /** Audio frames of turns that are not over: their arrival, and where their audio ends in the turn. */
  const arrivals = new Map<string, { atMs: number; endMs: number }[]>();
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
        figures.sessionWorkerUrl = new URL(made[0], location.href).href;
        const { connection, turns: changed = [], marks = [] } = data.update;
        if (connection) {
          figures.frames += Math.max(0, connection.framesReceived - received);
          received = connection.framesReceived;
        }
        for (const { kind, turn, atMs, amount } of marks) {
          if (kind !== 'audio' || turn === null) continue;
          const known = arrivals.get(`${worker} ${turn}`) ?? [];
          known.push({ atMs, endMs: (known.at(-1)?.endMs ?? 0) + amount });
          arrivals.set(`${worker} ${turn}`, known);
        }
        for (const report of changed) {
          const { id, endpoint, silencedMs, heardFromMs, heardToMs, repeatable, samples, sampleRate } =
            report;
          const key = `${worker} ${id}`;
          const before = turns.get(key);
          turns.set(key, {
            isCutOff: silencedMs !== null,
            isHeard: heardFromMs !== null,
            keptSamples: repeatable ? samples : 0,
            underruns: report.underruns.map(({ atMs, atSample, lengthMs }, at) => {
              // The audio of the underrun ends behind its first sample, give or take a rounded one.
              const playedMs = (atSample / (sampleRate ?? 1)) * 1000 + 1;
              const arrived = arrivals.get(key)?.find(({ endMs }) => endMs > playedMs);
              const known = before?.underruns[at]?.audioLateMs ?? null;
              const audioLateMs = known ?? (arrived ? arrived.atMs - atMs : null);
              return { endpoint, turn: id, atMs, lengthMs: lengthMs ?? 0, audioLateMs };
            }),
          });
          if (heardToMs !== null || silencedMs !== null) arrivals.delete(key);
        }
      });
    }
  };
  Object.assign(window, {
    soakFigures: () => {
      const all = [...turns.values()];
      const heard = all.filter(({ isHeard }) => isHeard);
      return {
        turns: heard.length,
        cutOff: heard.filter(({ isCutOff }) => isCutOff).length,
        ...figures,
        underruns: all.flatMap(({ underruns }) => underruns),
        keptAudioBytes: all.reduce((sum, { keptSamples }) => sum + 2 * keptSamples, 0),
      };
    },
  });
}

export const pageFigures = (page: Page): Promise<PageFigures> =>
  page.evaluate(() => (window as unknown as { soakFigures: () => PageFigures }).soakFigures());

import type { Browser, Page } from '@playwright/test';
import { percentile } from '#lib/statistics/percentiles.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { Report } from '#session/commands.ts';
import { launchChromium } from '../../browser.ts';
import { speak } from '../../support/page.ts';
import { startLocalServer } from '../local-server.ts';
import { ms, printTable } from '../table.ts';

const ENDPOINTS = ['kugel-stream', 'kugel-multi', 'murmr'] as const satisfies EndpointId[];
const PAGES = 9;
/** Turns of each page. */
const TURNS = 2;
/** A person reads for longer than this before the first press. */
const READ_MS = 3000;
const LIMIT_MS = 50;

/** Times of a turn, noted in the page; wall clock. */
interface NotedTurn {
  /** The first sample of its first word left the speakers. */
  heardMs: number | null;
  /** The picture with its first word lit was made. */
  litMs: number | null;
}

/** How much later than its sound the first word of a turn lights up, on pages that have never spoken. */
export async function benchFirstWord(): Promise<void> {
  const server = await startLocalServer();
  const browser = await launchChromium();
  const rows: Record<string, string>[] = [];
  try {
    for (const endpoint of ENDPOINTS) {
      const late: number[][] = Array.from({ length: TURNS }, () => []);
      for (let page = 0; page < PAGES; page += 1) {
        const turns = await speakOnFreshPage(browser, `${server.http}/?endpoint=${endpoint}`);
        for (const [at, turn] of turns.entries()) late[at]?.push(turn);
      }
      for (const [at, turns] of late.entries()) rows.push(rowOf(endpoint, at + 1, turns));
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  printTable(
    'First word: from its first sample at the speakers to the picture in which it is lit',
    `${PAGES} fresh pages of Chromium for each endpoint, ${TURNS} presses of Speak each; the limit is ${LIMIT_MS} ms.`,
    rows,
  );
}

/** @param lateMs below 0 where an estimated word was lit before its sound */
function rowOf(endpoint: string, turn: number, lateMs: readonly number[]): Record<string, string> {
  const within = lateMs.filter((each) => Math.abs(each) <= LIMIT_MS);
  return {
    endpoint,
    turn: String(turn),
    earliest: ms(Math.min(...lateMs)),
    median: ms(percentile(lateMs, 0.5)),
    latest: ms(Math.max(...lateMs)),
    [`within ${LIMIT_MS} ms`]: `${within.length} of ${lateMs.length}`,
  };
}

/** Returns by how many ms the first word of each turn was late. */
async function speakOnFreshPage(browser: Browser, address: string): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    // tsx names functions by a helper that the page, into which they are carried, does not have.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.addInitScript(noteFirstWords);
    await page.goto(address);
    await page.waitForFunction((readMs) => performance.now() > readMs, READ_MS);
    const late: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      await page.evaluate(() => (window as unknown as { noteNext(): void }).noteNext());
      await speak(page).click();
      late.push(await lateOf(page));
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Cancel', exact: true, disabled: true }).waitFor();
    }
    return late;
  } finally {
    await context.close();
  }
}

async function lateOf(page: Page): Promise<number> {
  const noted = await page.waitForFunction(() => {
    const { noted } = window as unknown as { noted: NotedTurn };
    return Object.values(noted).includes(null) ? null : noted;
  });
  const { heardMs, litMs } = (await noted.jsonValue()) as Record<keyof NotedTurn, number>;
  return litMs - heardMs;
}

/** Runs in the page, whose code knows nothing of it. */
function noteFirstWords(): void {
  const wallMs = () => performance.timeOrigin + performance.now();
  const noted: NotedTurn = { heardMs: null, litMs: null };
  let newest = 0;
  let before = 0;
  let isLit = true;
  Object.assign(window, {
    noted,
    noteNext: () => {
      before = newest;
      isLit = false;
      Object.assign(noted, { heardMs: null, litMs: null });
    },
  });
  /** By turn, the start of its first word, once the server has sent it or the chunk is complete without. */
  const startsMs = new Map<number, number>();
  const NativeWorker = window.Worker;
  window.Worker = class extends NativeWorker {
    constructor(...made: ConstructorParameters<typeof Worker>) {
      super(...made);
      this.addEventListener('message', ({ data }: MessageEvent<Report>) => {
        if (data.type !== 'update') return;
        for (const { id, changedChunks, played, sampleRate } of data.update.turns ?? []) {
          newest = Math.max(newest, id);
          for (const { at, chunk } of changedChunks) {
            const startMs = chunk.words?.[0]?.startMs;
            const isExact = chunk.wordsMs !== null || chunk.completedMs !== null;
            if (at === 0 && startMs !== undefined && isExact) startsMs.set(id, startMs);
          }
          const [range] = played;
          const startMs = startsMs.get(id);
          // Of a scene, the first line.
          if (id !== before + 1 || !range || startMs === undefined || !sampleRate) continue;
          noted.heardMs = range.atMs + startMs - (range.sample / sampleRate) * 1000;
        }
      });
    }
  };
  addEventListener('DOMContentLoaded', () => {
    new MutationObserver(() => {
      if (isLit || !document.querySelector('[data-word][data-state="current"]')) return;
      isLit = true;
      // Painters write in an animation frame. Its picture is made before the next task, which is this one.
      void scheduler.postTask(
        () => {
          noted.litMs = wallMs();
        },
        { priority: 'user-blocking' },
      );
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}

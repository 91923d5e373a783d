import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from '@playwright/test';
import { build } from 'vite';
import { MAX_RECORDED } from '#trace/entry.ts';
import { launchChromium } from '../browser.ts';
import { openOn, speak, textBox } from '../support/page.ts';
import { PageThreads } from '../support/page-threads.ts';
import { audioFrame, type ScriptedServer, startScriptedServer, tone } from '../support/scripted-server.ts';
import { startLocalServer } from './local-server.ts';
import { COMMON_TEXT, LAST_TEXT, SEEDED_NAME } from './page/long-recording.ts';
import { ms, printTable } from './table.ts';

const SCROLLED_FRAMES = 300;
const RATE = 24_000;
const FRAMES_A_SECOND = 2000;
const SECONDS = 10;
/** A turn before the one that is measured: the page's code is compiled while it runs. */
const FIRST_TEXT = 'La';
const FIRST_SECONDS = 2;
const TEXT = 'La la';
/** Half of the frames are audio, and together they are real time. */
const AUDIO_SAMPLES = RATE / (FRAMES_A_SECOND / 2);
const LEAD_MS = 500;

interface Figure {
  what: string;
  limit: string;
  measured: string;
}

/** The longest recording that the page makes, and one that grows by 2,000 a second, in the built page. */
export async function benchFrames(entries = MAX_RECORDED): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0;
  const seed = await bundledSeed();
  const app = await startLocalServer();
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  const figures: Figure[] = [];
  try {
    figures.push(...(await readLong(browser, app.http, seed, entries)));
    figures.push(...(await recordFast(browser, app.http)));
  } finally {
    await browser.close();
    await app.stop();
  }
  printTable(
    `Frames: a recording of ${entries.toLocaleString('en')} in the browser's database, and ${FRAMES_A_SECOND.toLocaleString('en')} more a second while audio plays`,
    `Built page in Chromium; load of the machine ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after.`,
    figures.map(({ what, limit, measured }) => ({ what, limit, measured })),
  );
}

/** The script that fills the database, as the page runs it. */
async function bundledSeed(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: {
        entry: fileURLToPath(new URL('./page/long-recording.ts', import.meta.url)),
        formats: ['iife'],
        name: 'seed',
      },
    },
  });
  const [first] = Array.isArray(built) ? built : [built];
  const chunk = first && 'output' in first ? first.output[0] : undefined;
  if (!chunk) throw new Error('The script that fills the database was not built.');
  return chunk.code;
}

export async function newPage(browser: Browser, baseURL: string): Promise<Page> {
  const page = await browser.newPage({ baseURL, viewport: { width: 1440, height: 900 } });
  // tsx names functions by a helper that the page, into which they are carried, does not have.
  await page.addInitScript('globalThis.__name = (value) => value');
  return page;
}

async function readLong(browser: Browser, http: string, seed: string, entries: number): Promise<Figure[]> {
  const page = await newPage(browser, http);
  const threads = await PageThreads.of(await page.context().newCDPSession(page));
  await page.goto('/');
  // As text: the page's policy lets nothing be made into code from within.
  const bytes = Number(await page.evaluate(`(() => { ${seed}; return seed.seedRecording(${entries}); })()`));
  await page.reload();
  await page.getByRole('tab', { name: /^Frames/ }).click();
  await page.getByRole('button', { name: 'Recordings' }).click();
  const openMs = await page.getByRole('button', { name: `Show ${SEEDED_NAME}` }).evaluate(untilRows);
  const loadedFrom = performance.now();
  await page
    .getByRole('tab', { name: new RegExp(`^Frames.*${entries.toLocaleString('en')}`) })
    .waitFor({ timeout: 120_000 });
  const loadedMs = openMs + performance.now() - loadedFrom;
  const list = page.getByRole('treegrid', { name: 'Frames' });

  const wheel = await list.evaluate(scroll, { frames: SCROLLED_FRAMES, px: 120 });
  const drag = await list.evaluate(scroll, { frames: SCROLLED_FRAMES, px: 20_000 });

  const filterMs: number[] = [];
  for (const name of ['Sent', 'Received', 'All']) {
    filterMs.push(await page.getByRole('radio', { name, exact: true }).evaluate(untilFiltered));
  }
  filterMs.push(await page.getByRole('button', { name: 'Fold runs of audio' }).evaluate(untilFiltered));

  const field = page.getByRole('textbox', { name: 'Search frames' });
  const commonMs = await field.evaluate(untilHit, COMMON_TEXT);
  const lastMs = await field.evaluate(untilHit, LAST_TEXT);
  const memoryMB = (await threads.memory()).map(({ bytes }) => bytes / 1e6);
  const allMB = memoryMB.reduce((sum, mb) => sum + mb, 0);
  await page.close();
  return [
    { what: 'stored', limit: '', measured: `${(bytes / 2 ** 20).toFixed(0)} MiB` },
    { what: 'first rows after opening', limit: '1000 ms', measured: ms(openMs) },
    { what: 'whole index loaded', limit: '', measured: ms(loadedMs) },
    ...scrollFigures('5 rows a frame', wheel),
    ...scrollFigures('across the recording', drag),
    { what: 'filter, slowest of 4', limit: '100 ms', measured: ms(Math.max(...filterMs)) },
    { what: 'search, first hits', limit: '1000 ms', measured: ms(commonMs) },
    { what: 'search, a hit in the last frame', limit: '1000 ms', measured: ms(lastMs) },
    { what: 'memory, page and workers', limit: '150 MB', measured: `${allMB.toFixed(0)} MB` },
    { what: 'memory, page alone', limit: '', measured: `${memoryMB[0]?.toFixed(0)} MB` },
  ];
}

/** Presses a recording's button; how long until the first row is there, painted. */
async function untilRows(button: Element): Promise<number> {
  const from = performance.now();
  (button as HTMLElement).click();
  for (;;) {
    await new Promise((next) => requestAnimationFrame(next));
    const cell = document.querySelector('[role="treegrid"] tbody tr td:nth-child(3)');
    if (cell?.textContent) return performance.now() - from;
  }
}

/** Presses what changes the list; how long until it has other rows, and those in view are there. */
async function untilFiltered(button: Element): Promise<number> {
  const rowCount = () => document.querySelector('[role="treegrid"]')?.getAttribute('aria-rowcount');
  const before = rowCount();
  const from = performance.now();
  (button as HTMLElement).click();
  for (;;) {
    await new Promise((next) => requestAnimationFrame(next));
    const cell = document.querySelector('[role="treegrid"] tbody tr td:nth-child(3)');
    if (rowCount() !== before && cell?.textContent) return performance.now() - from;
  }
}

interface Scrolled {
  gapsMs: number[];
  /** Frames in which a row in view was not there yet. */
  holes: number;
}

/** Scrolls by so much a frame; the times between frames. */
function scroll(list: Element, { frames, px }: { frames: number; px: number }): Promise<Scrolled> {
  return new Promise((resolve) => {
    const gapsMs: number[] = [];
    let holes = 0;
    let lastMs = 0;
    const step = (nowMs: number): void => {
      if (lastMs > 0) gapsMs.push(nowMs - lastMs);
      lastMs = nowMs;
      const head = list.querySelector('thead')?.getBoundingClientRect().bottom ?? 0;
      const { bottom } = list.getBoundingClientRect();
      let shownPx = 0;
      for (const row of list.querySelectorAll('tbody tr')) {
        const box = row.getBoundingClientRect();
        if (row.childElementCount > 0)
          shownPx += Math.max(0, Math.min(box.bottom, bottom) - Math.max(box.top, head));
      }
      if (shownPx < bottom - head - 1) holes += 1;
      list.scrollTop += px;
      if (gapsMs.length < frames) requestAnimationFrame(step);
      else resolve({ gapsMs, holes });
    };
    requestAnimationFrame(step);
  });
}

function scrollFigures(how: string, { gapsMs, holes }: Scrolled): Figure[] {
  const sorted = gapsMs.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return [
    {
      what: `scrolling ${how}: median, p95, longest`,
      limit: '16.7 ms',
      measured: `${ms(at(0.5))}, ${ms(at(0.95))}, ${ms(at(1))}`,
    },
    {
      what: `scrolling ${how}: frames with a row missing`,
      limit: '',
      measured: `${holes} of ${gapsMs.length}`,
    },
  ];
}

/** Types a text and presses Enter; how long until a hit is told, painted. */
async function untilHit(input: Element, text: string): Promise<number> {
  const field = input as HTMLInputElement;
  const isTold = () =>
    [...document.querySelectorAll('[role="status"]')].some((status) =>
      /(?:^|\D)[1-9][\d,]* hits?/.test(status.textContent ?? ''),
    );
  const painted = () => new Promise((next) => requestAnimationFrame(next));
  const enter = (value: string): void => {
    // A field that React holds takes a value only in this way.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  };
  enter('');
  while (isTold()) await painted();
  const from = performance.now();
  enter(text);
  while (!isTold()) await painted();
  return performance.now() - from;
}

/** Real time in tiny frames: every other one is audio, the rest are word timings. */
async function startFastServer(): Promise<ScriptedServer> {
  const samples = tone(SECONDS * RATE, RATE);
  let seconds = SECONDS;
  return startScriptedServer((socket, message, say) => {
    if (message.text) {
      seconds = message.text === FIRST_TEXT ? FIRST_SECONDS : SECONDS;
      say({ generation_started: true, chunk_id: 0, text: message.text });
    }
    if (!message.flush) return;
    const startedMs = performance.now() - LEAD_MS;
    const of = seconds * FRAMES_A_SECOND;
    let sent = 0;
    const timer = setInterval(() => {
      const due = Math.min(of, Math.floor(((performance.now() - startedMs) / 1000) * FRAMES_A_SECOND));
      for (; sent < due; sent += 1) {
        const at = sent >> 1;
        if (sent % 2 === 0) {
          say(audioFrame(samples.subarray(at * AUDIO_SAMPLES, (at + 1) * AUDIO_SAMPLES), at, RATE));
        } else {
          // One after the other, as the protocol's rules have it.
          const word = { word: 'La', start_ms: at, end_ms: at + 1, char_start: 0, char_end: 2 };
          say({ word_timestamps: [word], chunk_id: 0 });
        }
      }
      if (sent < of) return;
      clearInterval(timer);
      const totals = { total_audio_seconds: seconds, total_text_chunks: 1, total_audio_chunks: of / 2 };
      say({ chunk_complete: true, chunk_id: 0, audio_seconds: seconds, gen_ms: 5 });
      say({ final: true, ...totals });
      say({
        session_closed: true,
        ...totals,
        usage: { audio_seconds: seconds, characters: 2, cost_cents: 1, currency: 'eur' },
      });
    }, 5);
    socket.once('close', () => clearInterval(timer));
  });
}

async function recordFast(browser: Browser, http: string): Promise<Figure[]> {
  const server = await startFastServer();
  const page = await newPage(browser, http);
  try {
    await openOn(page, server.base);
    await page.getByRole('tab', { name: /^Frames/ }).click();
    const rows = page.getByRole('treegrid', { name: 'Frames' }).locator('tbody tr');
    // The entry that says how it was heard is the last one of a turn.
    const heard = rows.filter({ hasText: 'heard' });
    await textBox(page).fill(FIRST_TEXT);
    await speak(page).click();
    await heard.waitFor({ timeout: 60_000 });
    const before = await countOf(page.getByRole('tab', { name: /^Frames/ }));
    await textBox(page).fill(TEXT);
    await speak(page).click();
    const paints = await page.evaluate(framesFor, (SECONDS - 2) * 1000);
    await page.getByRole('radio', { name: 'Player' }).click();
    await heard.nth(1).waitFor({ timeout: 60_000 });
    const said = await rows.allInnerTexts();
    const endOfFirst = said.findIndex((text) => text.includes('heard'));
    const underruns = (some: readonly string[]) =>
      String(some.filter((text) => text.includes('ran dry')).length);
    const recorded = (await countOf(page.getByRole('tab', { name: /^Frames/ }))) - before;
    return [
      {
        what: `recording ${FRAMES_A_SECOND} frames a second for ${SECONDS} s: frames recorded`,
        limit: '',
        measured: recorded.toLocaleString('en'),
      },
      { what: 'recording: underruns', limit: '0', measured: underruns(said.slice(endOfFirst)) },
      {
        what: 'the turn before, the first of the page: underruns',
        limit: '',
        measured: underruns(said.slice(0, endOfFirst)),
      },
      { what: 'recording: longest time between paints', limit: '50 ms', measured: ms(Math.max(...paints)) },
    ];
  } finally {
    await page.close();
    await server.close();
  }
}

/** Times between animation frames for so long. */
export function framesFor(durationMs: number): Promise<number[]> {
  return new Promise((resolve) => {
    const gapsMs: number[] = [];
    const startMs = performance.now();
    let lastMs = 0;
    const step = (nowMs: number): void => {
      if (lastMs > 0) gapsMs.push(nowMs - lastMs);
      lastMs = nowMs;
      if (nowMs - startMs < durationMs) requestAnimationFrame(step);
      else resolve(gapsMs);
    };
    requestAnimationFrame(step);
  });
}

/** The tab may tell of findings as well; how many frames there are comes first. */
const countOf = async (tab: Locator): Promise<number> =>
  Number((await tab.locator('span').first().textContent())?.replace(/\D/g, '') ?? 0);

import { loadavg } from 'node:os';
import type { CDPSession, Page } from '@playwright/test';
import { messageOf } from '#lib/message-of.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import type { WatchedFigures } from '../bench/local-server.ts';
import { type Stall, watchStalls } from '../bench/stalls.ts';
import { type FuzzResult, runFuzz } from '../fuzz/fuzz-part.ts';
import { orderlyPart } from '../fuzz/server/socket-part.ts';
import { PageThreads, pageProcessBytes } from '../support/page-threads.ts';
import { within } from '../support/within.ts';
import { type CpuShares, watchCpu } from './cpu.ts';
import { type Growth, growthOf, meanOf, type Tolerance } from './growth.ts';
import { type HeardUnderrun, type PageFigures, pageFigures, watchPage } from './page-watch.ts';
import { type Excuse, excuseOf } from './underruns.ts';
import { Visitor } from './visitor.ts';

/** A server that is used meanwhile. */
export interface SoakedServer {
  ws: string;
  probe(): Promise<WatchedFigures>;
  /** Faults so far: lines of its log, or its end. */
  faults(): readonly string[];
}

export interface SoakOptions {
  /** The last round may end a little later. */
  forMs: number;
  /** Other clients of the server. */
  sessions: number;
  seed: number;
  sampled?: (sample: SoakSample) => void;
}

/** The state after one round of the page. Memory is in MiB and measured after a collection. */
export interface SoakSample {
  /** Since the beginning. */
  atMs: number;
  page: PageFigures;
  nodes: number;
  listeners: number;
  /** Of the page's own thread, DOM included. */
  pageMiB: number;
  /** Without the audio that is kept to be heard again. */
  sessionMiB: number;
  recordingsMiB: number;
  audioThreadMiB: number;
  /** Of the page's process, without that audio; NaN where the system does not tell. */
  processMiB: number;
  keptAudioMiB: number;
  server: WatchedFigures;
  load: number;
  /** Mean share of the CPU that other programs used since the last sample; NaN where the system does not tell. */
  othersCpu: number;
}

export interface SoakResult {
  samples: readonly SoakSample[];
  /** The other clients. */
  sessions: FuzzResult;
  /** NaN where there are too few samples, or none of a figure. */
  growth: readonly Growth[];
  /** The longest stall of the machine, as the server and this process saw it. */
  longestStallMs: number;
  underruns: readonly { underrun: HeardUnderrun; excuse: Excuse | null }[];
  /** Of the page: uncaught errors, crashes, steps that did not come to an end. */
  errors: readonly string[];
  /** Of the server. */
  faults: readonly string[];
}

/** Memory of the server without the frames that it keeps for pages that watch. */
export const serverMiB = ({ server }: SoakSample): number => server.heapMiB - server.capturedMiB;

/** Ordinary noise of memory after a collection, and of a page that shows the last turns in another panel. */
const FIGURES: readonly (Tolerance & { of: (sample: SoakSample) => number })[] = [
  { title: 'DOM nodes', unit: 'nodes', absolute: 300, relative: 0.1, of: ({ nodes }) => nodes },
  { title: 'page', unit: 'MiB', absolute: 3, relative: 0.1, of: ({ pageMiB }) => pageMiB },
  { title: 'session worker', unit: 'MiB', absolute: 2, relative: 0.1, of: ({ sessionMiB }) => sessionMiB },
  {
    title: 'recordings worker',
    unit: 'MiB',
    absolute: 2,
    relative: 0.1,
    of: ({ recordingsMiB }) => recordingsMiB,
  },
  {
    title: 'audio thread',
    unit: 'MiB',
    absolute: 1,
    relative: 0.1,
    of: ({ audioThreadMiB }) => audioThreadMiB,
  },
  // Of the compiled code and the free room of all heaps.
  { title: 'page process', unit: 'MiB', absolute: 24, relative: 0.1, of: ({ processMiB }) => processMiB },
  { title: 'server', unit: 'MiB', absolute: 4, relative: 0.1, of: serverMiB },
];
/** Fewer samples say nothing about growth. */
export const LEAST_SAMPLES = 6;

/** Some times what a round takes on a busy machine. For a page that answers nothing. */
const ROUND_WITHIN_MS = 600_000;

const MIB = 2 ** 20;

/** Uses the page and the server in ordinary and awkward ways for a while, and watches both. */
export async function soak(page: Page, server: SoakedServer, options: SoakOptions): Promise<SoakResult> {
  const { forMs, sessions, seed, sampled } = options;
  const startedMs = performance.now();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(`expected no uncaught error, got ${error.stack ?? error}`));
  page.on('crash', () => errors.push('expected the page to live, got a crash'));
  const ownStalls = watchStalls();
  const cpuShares = watchCpu();
  await watchPage(page);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  const threads = await PageThreads.of(devTools);
  const visitor = new Visitor(page, seededRandom(seed));
  await visitor.open();

  const end = new AbortController();
  const forever = { frames: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const others = runFuzz(orderlyPart(server.ws), { ...forever, lanes: sessions, seed, signal: end.signal });
  const samples: SoakSample[] = [];
  const seen = { measured: [] as Stall[], stalls: [] as Stall[], cpu: [] as CpuShares[] };
  try {
    do {
      await within(ROUND_WITHIN_MS, visitor.round(), 'a round to end');
      const fromMs = Date.now();
      const shares = cpuShares();
      const measured = await measure(page, devTools, threads, server);
      seen.measured.push({ atMs: Date.now(), ms: Date.now() - fromMs });
      seen.stalls.push(...measured.server.stalls, ...ownStalls());
      seen.cpu.push(...shares);
      const othersCpu = meanOf(shares.map((share) => share.others));
      const sample = { ...measured, atMs: performance.now() - startedMs, othersCpu };
      samples.push(sample);
      sampled?.(sample);
    } while (performance.now() - startedMs < forMs && errors.length === 0 && server.faults().length === 0);
  } catch (error) {
    errors.push(`expected the page to go on, got ${messageOf(error)}`);
  }
  end.abort();
  return {
    samples,
    sessions: await others,
    growth: FIGURES.map(({ of, ...tolerance }) =>
      growthOf(tolerance, samples.length < LEAST_SAMPLES ? [] : seriesOf(samples, of)),
    ),
    longestStallMs: Math.max(0, ...seen.stalls.map(({ ms }) => ms)),
    underruns: (samples.at(-1)?.page.underruns ?? []).map((underrun) => ({
      underrun,
      excuse: excuseOf(underrun, seen),
    })),
    errors,
    faults: server.faults(),
  };
}

const seriesOf = (samples: readonly SoakSample[], of: (sample: SoakSample) => number) =>
  samples.map((sample) => ({ atMs: sample.atMs, value: of(sample) }));

async function measure(
  page: Page,
  devTools: CDPSession,
  threads: PageThreads,
  server: SoakedServer,
): Promise<Omit<SoakSample, 'atMs' | 'othersCpu'>> {
  const figures = await pageFigures(page);
  const memory = await threads.memory();
  const mib = (is: (thread: (typeof memory)[number]) => boolean): number =>
    memory.reduce((sum, thread) => sum + (is(thread) ? thread.bytes : 0), 0) / MIB;
  const { metrics } = await devTools.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  const browser = page.context().browser();
  const processBytes = browser ? await pageProcessBytes(browser) : Number.NaN;
  const keptAudioMiB = figures.keptAudioBytes / MIB;
  const isSession = (url: string): boolean => url === figures.sessionWorkerUrl;
  return {
    page: figures,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    pageMiB: mib(({ type }) => type === 'page'),
    sessionMiB: mib(({ type, url }) => type === 'worker' && isSession(url)) - keptAudioMiB,
    recordingsMiB: mib(({ type, url }) => type === 'worker' && !isSession(url)),
    audioThreadMiB: mib(({ type }) => type === 'worklet'),
    processMiB: processBytes / MIB - keptAudioMiB,
    keptAudioMiB,
    server: await server.probe(),
    load: loadavg()[0] ?? Number.NaN,
  };
}

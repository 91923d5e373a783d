import { loadavg } from 'node:os';
import type { CDPSession, Page } from '@playwright/test';
import { messageOf } from '#lib/message-of.ts';
import { seededRandom } from '#lib/statistics/random.ts';
import type { ProbedFigures } from '../bench/server-probe.ts';
import { type Stall, watchStalls } from '../bench/stalls.ts';
import { type FuzzResult, runFuzz } from '../fuzz/fuzz-part.ts';
import { orderlyPart } from '../fuzz/server/socket-part.ts';
import { usedMemory } from '../support/page-memory.ts';
import { type Growth, growthOf, type Tolerance } from './growth.ts';
import { type HeardUnderrun, type PageFigures, pageFigures, watchPage } from './page-watch.ts';
import { Visitor } from './visitor.ts';

/** A server that is used meanwhile. */
export interface SoakedServer {
  ws: string;
  probe(): Promise<ProbedFigures>;
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

/** The state after one round of the page. */
export interface SoakSample {
  /** Since the beginning. */
  atMs: number;
  page: Omit<PageFigures, 'stalls'>;
  nodes: number;
  listeners: number;
  /** Of the page's own thread. */
  heapMiB: number;
  /** With its workers. */
  allMiB: number;
  /** Of that, audio that the page keeps on purpose. */
  audioMiB: number;
  server: ProbedFigures;
  load: number;
}

export interface SoakResult {
  samples: readonly SoakSample[];
  sessions: FuzzResult;
  growth: readonly Growth[];
  /** The longest stall of the machine, as the server and this process saw it. */
  longestStallMs: number;
  unexplained: readonly HeardUnderrun[];
  problems: readonly string[];
}

/** Ordinary noise of a collected heap, and of a page that shows the last turns in another panel. */
const TOLERANCES: Readonly<Record<'nodes' | 'heapMiB' | 'allMiB' | 'serverMiB', Tolerance>> = {
  nodes: { title: 'DOM nodes', unit: 'nodes', absolute: 300, relative: 0.1 },
  heapMiB: { title: 'page heap', unit: 'MiB', absolute: 2, relative: 0.1 },
  allMiB: { title: 'page and workers, without kept audio', unit: 'MiB', absolute: 6, relative: 0.1 },
  serverMiB: { title: 'server heap', unit: 'MiB', absolute: 4, relative: 0.1 },
};
/** Fewer samples say nothing about growth. */
const LEAST_SAMPLES = 8;
/** A stall may be heard if it ends this long before the underrun, or during it. */
const BEFORE_MS = 1000;

/** Uses the page and the server in ordinary and awkward ways for a while, and watches both. */
export async function soak(page: Page, server: SoakedServer, options: SoakOptions): Promise<SoakResult> {
  const { forMs, sessions, seed, sampled } = options;
  const startedMs = performance.now();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`expected no uncaught error, got ${error.stack ?? error}`));
  page.on('crash', () => problems.push('expected the page to live, got a crash'));
  const ownStalls = watchStalls();
  await watchPage(page);
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable');
  const visitor = new Visitor(page, seededRandom(seed));
  await visitor.open();

  const end = new AbortController();
  const forever = { frames: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const others = runFuzz(orderlyPart(server.ws), { ...forever, lanes: sessions, seed, signal: end.signal });
  const samples: SoakSample[] = [];
  const stalls: Stall[] = [];
  try {
    do {
      await visitor.round();
      const sample = await measure(page, devTools, server, performance.now() - startedMs);
      stalls.push(...sample.server.stalls, ...ownStalls());
      samples.push(sample);
      sampled?.(sample);
    } while (performance.now() - startedMs < forMs && problems.length === 0 && server.faults().length === 0);
  } catch (error) {
    problems.push(`expected the page to go on, got ${messageOf(error)}`);
  }
  end.abort();
  const result = await others;
  const growth = samples.length < LEAST_SAMPLES ? [] : growths(samples);
  const unexplained = (samples.at(-1)?.page.underruns ?? []).filter((one) => !isExplained(one, stalls));
  return {
    samples,
    sessions: result,
    growth,
    longestStallMs: Math.max(0, ...stalls.map(({ ms }) => ms)),
    unexplained,
    problems: [
      ...problems,
      ...server.faults().map((fault) => `expected no fault of the server, got ${fault}`),
      ...result.findings.map(({ problem, example }) => `${problem}\n${example}`),
      ...growth.flatMap(({ title, unit, grown, allowed }) =>
        grown > allowed
          ? [`expected ${title} to grow by at most ${allowed.toFixed(1)} ${unit}, got ${grown.toFixed(1)}`]
          : [],
      ),
      ...unexplained.map(
        ({ endpoint, turn, atMs, lengthMs }) =>
          `expected no underrun without a stall, got ${lengthMs.toFixed(0)} ms on ${endpoint}, turn ${turn}, at ${new Date(atMs).toISOString()}`,
      ),
    ],
  };
}

async function measure(
  page: Page,
  devTools: CDPSession,
  server: SoakedServer,
  atMs: number,
): Promise<SoakSample> {
  const { stalls: _, ...figures } = await pageFigures(page);
  await devTools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devTools.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  const { allBytes } = await page.evaluate(usedMemory);
  return {
    atMs,
    page: figures,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    heapMiB: metric('JSHeapUsedSize') / 2 ** 20,
    allMiB: allBytes / 2 ** 20,
    audioMiB: figures.keptAudioBytes / 2 ** 20,
    server: await server.probe(),
    load: loadavg()[0] ?? Number.NaN,
  };
}

const growths = (samples: readonly SoakSample[]): Growth[] => {
  const series = (figure: (sample: SoakSample) => number) =>
    samples.map((sample) => ({ atMs: sample.atMs, value: figure(sample) }));
  return [
    growthOf(
      TOLERANCES.nodes,
      series(({ nodes }) => nodes),
    ),
    growthOf(
      TOLERANCES.heapMiB,
      series(({ heapMiB }) => heapMiB),
    ),
    growthOf(
      TOLERANCES.allMiB,
      series(({ allMiB, audioMiB }) => allMiB - audioMiB),
    ),
    growthOf(
      TOLERANCES.serverMiB,
      series(({ server }) => server.heapMiB),
    ),
  ];
};

/** The page's own thread is not asked: by design, its stalls cannot be heard. */
const isExplained = ({ atMs, lengthMs }: HeardUnderrun, stalls: readonly Stall[]): boolean =>
  stalls.some((stall) => stall.atMs >= atMs - BEFORE_MS && stall.atMs - stall.ms <= atMs + lengthMs);

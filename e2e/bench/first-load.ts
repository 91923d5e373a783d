import type { Browser } from '@playwright/test';
import { percentile } from '#lib/statistics/percentiles.ts';
import { launchChromium } from '../browser.ts';
import { bytesUntil, type FirstLoad, measureFirstLoad } from '../support/first-load.ts';
import { startLocalServer } from './local-server.ts';
import { ms, printTable } from './table.ts';

const RUNS = 9;

/** Lines between page and server, as the browser's developer tools throttle them. */
const LINES = [
  { line: 'this machine', throttled: null },
  { line: 'Fast 4G', throttled: { latency: 165, down: (9_000_000 * 0.9) / 8, up: (1_500_000 * 0.9) / 8 } },
] as const;

type Line = (typeof LINES)[number];

/**
 * First loads of the studio into fresh contexts.
 * @param against directory of another build, whose loads alternate with those of this one
 */
export async function benchFirstLoad(against: string | null): Promise<void> {
  const builds = [
    ...(against === null ? [] : [{ build: against, server: await startLocalServer({}, against) }]),
    { build: 'this build', server: await startLocalServer() },
  ];
  const browser = await launchChromium();
  const rows: Record<string, string>[] = [];
  try {
    for (const line of LINES) {
      const loads = builds.map((): FirstLoad[] => []);
      for (let run = 0; run < RUNS; run += 1) {
        for (const [at, { server }] of builds.entries()) {
          loads[at]?.push(await loadOnce(browser, server.http, line));
        }
      }
      for (const [at, { build }] of builds.entries()) {
        rows.push({ build, line: line.line, ...figuresOf(loads[at] ?? []) });
      }
    }
  } finally {
    await browser.close();
    for (const { server } of builds) await server.stop();
  }
  printTable(
    'First load of the studio',
    `Medians of ${RUNS} loads into fresh contexts of Chromium, builds in turn. Bytes as transferred, with headers.`,
    rows,
  );
}

async function loadOnce(browser: Browser, address: string, { throttled }: Line): Promise<FirstLoad> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  // tsx names functions by a helper that the page, into which they are carried, does not have.
  await page.addInitScript('globalThis.__name = (value) => value');
  if (throttled) {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: throttled.latency,
      downloadThroughput: throttled.down,
      uploadThroughput: throttled.up,
    });
  }
  const load = await measureFirstLoad(page, address);
  await context.close();
  return load;
}

function figuresOf(loads: readonly FirstLoad[]): Record<string, string> {
  const of = (figure: (load: FirstLoad) => number) => percentile(loads.map(figure), 0.5);
  const kilobytes = (figure: (load: FirstLoad) => number) => `${(of(figure) / 1000).toFixed(1)} kB`;
  return {
    'first contentful paint': ms(of((load) => load.firstContentfulPaintMs)),
    'Speak enabled': ms(of((load) => load.usableMs)),
    'voice named': ms(of((load) => load.completeMs)),
    'bytes until Speak': kilobytes((load) => bytesUntil(load, load.usableMs)),
    'bytes until idle': kilobytes((load) => bytesUntil(load, Number.POSITIVE_INFINITY)),
    requests: of(({ transfers }) => transfers.length).toFixed(0),
  };
}

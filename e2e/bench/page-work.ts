import { loadavg } from 'node:os';
import { type Browser, type CDPSession, expect, type Page } from '@playwright/test';
import { percentile } from '#lib/statistics/percentiles.ts';
import { launchChromium } from '../browser.ts';
import { heardToEnd, speak, speakText, wordsBegin, writeScript } from '../support/page.ts';
import { framesFor, newPage } from './frames.ts';
import { startLocalServer } from './local-server.ts';
import { ms, printTable } from './table.ts';

const SECONDS = 8;
/** As fast as a practised person types. */
const KEY_MS = 80;
const KEYS = 'eeeee '.repeat((SECONDS * 1000) / KEY_MS / 6);
const LINES = 400;
/** A picture that misses its refresh comes with the next one. */
const LATE_MS = 25;
const TABS = ['Timeline', 'Chunks', 'Frames', 'Usage'];

/** Measures the page's own thread while a person types, while twenty speak, and while nothing changes. */
export async function benchPageWork(): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0;
  const server = await startLocalServer();
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  try {
    const moving = [await whileTyping(browser, server.http), await whileTwentySpeak(browser, server.http)];
    const still = await whileStill(browser, server.http);
    const load = `load of the machine ${loadBefore.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after.`;
    printTable(
      'Page: animation frames in the built page',
      `Over ${SECONDS} s each. Processor: all work of the page's thread, limit 16 ms a frame; ${load}`,
      moving,
    );
    printTable(
      'Page: work while nothing changes',
      `Over ${SECONDS} s after a turn, with each panel in turn; ${load}`,
      still,
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function whileTyping(browser: Browser, http: string) {
  const page = await newPage(browser, http);
  await page.goto('/?endpoint=kugel-multi');
  const line = 'Marta: The train to Berlin leaves from platform four, and not from five.';
  await writeScript(page, Array.from({ length: LINES }, () => line).join('\n'));
  await page.keyboard.press('ArrowUp');
  const keys = () => page.keyboard.type(KEYS, { delay: KEY_MS });
  return await framesOf(page, `typing in a script of ${LINES} lines`, keys);
}

async function whileTwentySpeak(browser: Browser, http: string) {
  const page = await newPage(browser, http);
  await page.goto('/?endpoint=kugel-multi');
  await page.getByRole('button', { name: 'Scenes' }).click();
  await page.getByRole('menuitem', { name: 'Twenty voices counting' }).click();
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await speak(page).click();
  await wordsBegin(page.locator('body'));
  return await framesOf(page, 'twenty speakers on the timeline', async () => undefined);
}

/** Counts frames, and the processor time of the page's thread in them. */
async function framesOf(page: Page, what: string, act: () => Promise<void>) {
  const metrics = await metricsOf(page);
  const before = await metrics();
  const [gapsMs] = await Promise.all([page.evaluate(framesFor, SECONDS * 1000), act()]);
  const { taskMs } = difference(before, await metrics());
  await page.close();
  return {
    what,
    'median, p95, longest': [0.5, 0.95, 1].map((share) => ms(percentile(gapsMs, share))).join(', '),
    late: `${gapsMs.filter((gapMs) => gapMs > LATE_MS).length} of ${gapsMs.length}`,
    'processor a frame': ms(taskMs / gapsMs.length),
  };
}

async function whileStill(browser: Browser, http: string) {
  const page = await newPage(browser, http);
  await page.addInitScript(() => {
    const request = requestAnimationFrame.bind(window);
    Object.assign(window, {
      pictures: 0,
      requestAnimationFrame: (paint: FrameRequestCallback) => {
        (window as unknown as { pictures: number }).pictures += 1;
        return request(paint);
      },
    });
  });
  await page.goto('/');
  await speakText(page, 'Good morning.');
  await heardToEnd(page);
  const metrics = await metricsOf(page);
  const rows = [];
  for (const name of TABS) {
    await page.getByRole('tab', { name }).click();
    await expect(page.getByRole('tab', { name })).toHaveAttribute('aria-selected', 'true');
    // What the panel loads and paints once is no work of a page at rest.
    await page.evaluate(framesFor, 1000);
    const pictures = () => page.evaluate(() => (window as unknown as { pictures: number }).pictures);
    const picturesBefore = await pictures();
    const before = await metrics();
    // The measured time itself.
    await page.waitForTimeout(SECONDS * 1000);
    const { taskMs, layouts, styles } = difference(before, await metrics());
    rows.push({
      panel: name,
      pictures: String((await pictures()) - picturesBefore),
      styles: String(styles),
      layouts: String(layouts),
      'processor a second': ms(taskMs / SECONDS),
    });
  }
  await page.close();
  return rows;
}

interface Metrics {
  /** Processor time of the page's thread. */
  taskMs: number;
  styles: number;
  layouts: number;
}

async function metricsOf(page: Page): Promise<() => Promise<Metrics>> {
  const devTools: CDPSession = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await devTools.send('Performance.getMetrics');
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
    return { taskMs: of('TaskDuration') * 1000, styles: of('RecalcStyleCount'), layouts: of('LayoutCount') };
  };
}

const difference = (from: Metrics, to: Metrics): Metrics => ({
  taskMs: to.taskMs - from.taskMs,
  styles: to.styles - from.styles,
  layouts: to.layouts - from.layouts,
});

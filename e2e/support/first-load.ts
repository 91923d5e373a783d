import type { Page, Request } from '@playwright/test';

/** One response with its headers, as it was transferred. */
interface Transfer {
  path: string;
  bytes: number;
  /** Start of its request, from the beginning of the navigation. */
  startedMs: number;
}

/** The load of the studio into a fresh browser context, without any action. Times are from the beginning of the navigation. */
export interface FirstLoad {
  /** In the order in which they began. */
  transfers: readonly Transfer[];
  firstContentfulPaintMs: number;
  /** The picture with an enabled Speak button. */
  usableMs: number;
  /** The picture with the name of the voice, which the set-up shows last. */
  completeMs: number;
}

/** A load is over once the network has been quiet for this long. */
const QUIET_MS = 1000;

/** Opens the page of a new context. */
export async function measureFirstLoad(page: Page, address: string): Promise<FirstLoad> {
  await page.addInitScript(markPictures);
  const requests: Request[] = [];
  const network = new EventTarget();
  page.on('request', () => network.dispatchEvent(new Event('change')));
  page.on('requestfinished', (request) => {
    requests.push(request);
    network.dispatchEvent(new Event('change'));
  });
  await page.goto(address);
  await page.waitForFunction(() => performance.getEntriesByName('complete').length > 0);
  await new Promise<void>((quiet) => {
    let timer = setTimeout(quiet, QUIET_MS);
    network.addEventListener('change', () => {
      clearTimeout(timer);
      timer = setTimeout(quiet, QUIET_MS);
    });
  });
  const { entries, ...times } = await page.evaluate(() => ({
    firstContentfulPaintMs:
      performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    usableMs: performance.getEntriesByName('usable')[0]?.startTime ?? Number.NaN,
    completeMs: performance.getEntriesByName('complete')[0]?.startTime ?? Number.NaN,
    entries: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(
      (entry) => ({
        address: entry.name,
        startedMs: entry.startTime,
        bodyBytes: (entry as PerformanceResourceTiming).encodedBodySize,
      }),
    ),
  }));
  const entryOf = new Map(entries.map((entry) => [entry.address, entry]));
  const transfers = await Promise.all(
    requests.map(async (request) => {
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      const entry = entryOf.get(request.url());
      return {
        path: new URL(request.url()).pathname,
        // Playwright does not see the bodies of workers' scripts.
        bytes: responseHeadersSize + (responseBodySize || (entry?.bodyBytes ?? 0)),
        // The page does not see the requests of workers, which start after it.
        startedMs: entry?.startedMs ?? Number.MAX_VALUE,
      };
    }),
  );
  return { transfers: transfers.toSorted((a, b) => a.startedMs - b.startedMs), ...times };
}

/** Bytes of all requests that began before a time. */
export const bytesUntil = ({ transfers }: FirstLoad, untilMs: number): number =>
  transfers.reduce((sum, { bytes, startedMs }) => (startedMs < untilMs ? sum + bytes : sum), 0);

/** The transfers in words, for a test that fails. */
export const transfersText = ({ transfers, usableMs }: FirstLoad): string =>
  transfers
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(
      ({ path, bytes, startedMs }) => `${bytes} ${startedMs < usableMs ? 'before' : 'after'} Speak ${path}`,
    )
    .join('\n');

/** Runs in the page. Marks the pictures in which Speak can be pressed and the voice has its name. */
function markPictures(): void {
  const isThere: Record<string, () => boolean> = {
    usable: () =>
      [...document.querySelectorAll('button')].some(
        (button) => button.textContent.startsWith('Speak') && button.ariaDisabled !== 'true',
      ),
    complete: () => /, now (?!Voice \d)/.test(document.querySelector('[data-choose]')?.ariaLabel ?? ''),
  };
  const awaited = new Set(Object.keys(isThere));
  const observer = new MutationObserver(() => {
    for (const name of awaited) {
      if (!isThere[name]?.()) continue;
      awaited.delete(name);
      // In the frame of its picture, after which parts load by themselves.
      requestAnimationFrame(() => performance.mark(name));
    }
    if (awaited.size === 0) observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}

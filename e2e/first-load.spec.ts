import type { Page } from '@playwright/test';
import { bytesUntil, measureFirstLoad, transfersText } from './support/first-load.ts';
import { cancel, expect, speak, speakText, test, textBox, words } from './support/page.ts';

/** Bytes on the wire, headers included. Workers, the other panels and what is fetched ahead come after Speak is there. */
const UNTIL_SPEAK_BYTES = 190_000;
const UNTIL_IDLE_BYTES = 560_000;

function held(): { released: Promise<void>; release: () => void } {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { released, release };
}

test('the studio can speak within 190 kB, and fetches the rest afterwards', async ({ page, baseURL }) => {
  const load = await measureFirstLoad(page, `${baseURL}/`);
  expect(bytesUntil(load, load.usableMs), transfersText(load)).toBeLessThanOrEqual(UNTIL_SPEAK_BYTES);
  expect(bytesUntil(load, Number.POSITIVE_INFINITY), transfersText(load)).toBeLessThanOrEqual(
    UNTIL_IDLE_BYTES,
  );
  const later = load.transfers.filter(({ startedMs }) => startedMs > load.usableMs).map(({ path }) => path);
  expect(later.filter((path) => /\/worker-/.test(path))).toHaveLength(2);
  expect(later.filter((path) => /\/setup-panel-/.test(path))).toHaveLength(1);
  expect(later.filter((path) => /\/(?:popups|modes)-/.test(path))).toEqual([]);
  // A press may come now, and its words need this part.
  expect(later[0]).toContain('/turn-block-');
});

/** Where text is hinted, letters of both fonts have whole widths, and a line of them may differ by this much. */
const HINTED_PX = 6;

test('fonts that arrive late move nothing', async ({ page }) => {
  const fonts = held();
  await page.route('**/*.woff2', async (route) => {
    await fonts.released;
    await route.continue();
  });
  // The fonts that are loaded ahead hold back the end of the load.
  await page.goto('/', { waitUntil: 'commit' });
  await expect(page.getByRole('button', { name: /^Choose a voice, now Marta/ })).toBeVisible();
  await page.evaluate(() => {
    const shifts = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        shifts.sum += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift' });
    Object.assign(window, { shifts });
  });
  const before = await speak(page).boundingBox();
  fonts.release();
  await page.waitForFunction(() =>
    [...document.fonts]
      .filter(({ status }) => status === 'loaded')
      .map(({ family }) => family.includes('Inter'))
      .includes(true),
  );
  await page.evaluate(() => document.fonts.ready);
  const after = await speak(page).boundingBox();
  expect(Math.abs((after?.x ?? Number.NaN) - (before?.x ?? Number.NaN))).toBeLessThan(HINTED_PX);
  expect(after?.y).toBe(before?.y);
  const shifts = await page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
  expect(shifts).toBeLessThan(0.01);
});

/** Opens the page without the part of popups, until that is released. */
async function openWithoutPopups(page: Page) {
  const parts = held();
  await page.route('**/popups-*.js', async (route) => {
    await parts.released;
    await route.continue();
  });
  await page.goto('/');
  return { parts, endpoint: page.getByRole('combobox', { name: 'Endpoint' }) };
}

test('a press on a trigger opens its popup once that has loaded', async ({ page }) => {
  const { parts } = await openWithoutPopups(page);
  const controls = page.getByRole('button', { name: 'More controls' });
  await controls.click();
  await expect(controls).toHaveAttribute('aria-haspopup', 'menu');
  await expect(page.getByRole('menu')).toHaveCount(0);
  parts.release();
  await expect(page.getByRole('menuitem', { name: /^Disconnect/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('menu')).toHaveCount(0);
});

test('a press on a choice opens its list once that has loaded', async ({ page }) => {
  const { parts, endpoint } = await openWithoutPopups(page);
  await expect(endpoint).toHaveAttribute('aria-expanded', 'false');
  await endpoint.press('Enter');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  parts.release();
  await expect(endpoint).toHaveAttribute('aria-expanded', 'true');
  await page.getByRole('option', { name: /^murmr/ }).click();
  await expect(endpoint).toHaveText('murmr');
});

test('a list that loads under the focus leaves it on its trigger', async ({ page }) => {
  const { parts, endpoint } = await openWithoutPopups(page);
  await endpoint.focus();
  await endpoint.evaluate((node) => node.setAttribute('data-placeholder', ''));
  parts.release();
  await expect(endpoint).not.toHaveAttribute('data-placeholder');
  await expect(endpoint).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listbox')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await expect(endpoint).toBeFocused();
});

test('popups that load under a pressed pointer leave the press to its trigger', async ({ page }) => {
  const { parts, endpoint } = await openWithoutPopups(page);
  const controls = page.getByRole('button', { name: 'More controls' });
  await endpoint.hover();
  // Its popup comes with the same part, so its trigger is replaced when the pressed one would be.
  await controls.focus();
  await page.mouse.down();
  for (const trigger of [endpoint, controls])
    await trigger.evaluate((node) => node.setAttribute('data-placeholder', ''));
  parts.release();
  await expect(controls).not.toHaveAttribute('data-placeholder');
  await expect(endpoint).toHaveAttribute('data-placeholder');
  await page.mouse.up();
  await expect(page.getByRole('listbox')).toBeVisible();
});

test('the words of a turn are there as soon as their part has loaded, while no time passes', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const { setTimeout } = window;
    const now = performance.now.bind(performance);
    let stoppedMs: number | null = null;
    performance.now = () => stoppedMs ?? now();
    Object.assign(window, {
      setTimeout: (handler: () => void, ms = 0) =>
        stoppedMs === null || ms === 0 ? setTimeout(handler, ms) : 0,
      stopClock: () => {
        stoppedMs = now();
      },
    });
  });
  const part = held();
  await page.route('**/turn-block-*.js', async (route) => {
    await part.released;
    await route.continue();
  });
  await page.goto('/');
  await expect(speak(page)).toBeEnabled();
  await page.evaluate(() => (window as unknown as { stopClock(): void }).stopClock());
  await speak(page).click();
  await expect(cancel(page)).toBeEnabled();
  await expect(words(page)).toHaveCount(0);
  part.release();
  await expect(words(page).first()).toBeVisible();
});

test('a list that cannot be loaded says so, and loads when its trigger is pressed again', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/Failed to load resource/);
  await page.route('**/popups-*.js*', (route) => route.abort());
  await page.goto('/');
  const endpoint = page.getByRole('combobox', { name: 'Endpoint' });
  await endpoint.press('Enter');
  await expect(page.getByRole('alert')).toContainText('The list could not be loaded');
  await expect(endpoint).toBeFocused();
  await page.unroute('**/popups-*.js*');
  await endpoint.press('ArrowDown');
  await expect(page.getByRole('listbox')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a panel that cannot be loaded says so in its place alone, and loads when shown again', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/Failed to load resource|Failed to fetch dynamically imported module/);
  await page.route('**/usage-panel-*.js*', (route) => route.abort());
  await page.goto('/');
  await page.getByRole('tab', { name: 'Usage' }).click();
  await expect(page.getByRole('tabpanel', { name: 'Usage' })).toContainText('Usage cannot be shown');
  await speakText(page, 'Good morning.');
  await expect(words(page).first()).toBeVisible();
  await page.unroute('**/usage-panel-*.js*');
  await page.getByRole('button', { name: 'Show again' }).click();
  await expect(page.getByRole('region', { name: 'Usage' })).toBeVisible();
});

test('a script whose editor cannot be loaded keeps its place and is spoken, and the editor can be loaded again', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/Failed to load resource/);
  const part = held();
  await page.route('**/script-code-*.js*', async (route) => {
    await part.released;
    await route.abort();
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/?endpoint=kugel-multi');
  const gapPx = async () => {
    const row = await page.getByRole('button', { name: 'Speak line' }).boundingBox();
    const below = await page.getByRole('radiogroup', { name: 'How lines are heard' }).boundingBox();
    return row && below && below.y - row.y - row.height;
  };
  expect(await gapPx(), 'while it loads').toBeGreaterThanOrEqual(0);
  part.release();
  const again = page.getByRole('button', { name: 'Load again' });
  await expect(again).toBeVisible();
  expect(await gapPx(), 'without it').toBeGreaterThanOrEqual(0);
  await speak(page).click();
  await expect(words(page).first()).toBeVisible();
  await page.unroute('**/script-code-*.js*');
  await again.click();
  await expect(textBox(page)).toContainText('Marta: ');
  await expect(again).toHaveCount(0);
});

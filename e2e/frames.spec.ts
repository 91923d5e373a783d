import type { Page } from '@playwright/test';
import { expect, heardToEnd, speakText, test } from './support/page.ts';

const tab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });
const list = (page: Page) => page.getByRole('treegrid', { name: 'Frames' });
const rows = (page: Page) => list(page).locator('tbody tr');
const rowOf = (page: Page, kind: string) => rows(page).filter({ has: page.getByText(kind, { exact: true }) });
const search = (page: Page) => page.getByRole('textbox', { name: 'Search frames' });
const detail = (page: Page) => page.getByRole('article', { name: /^Frame / });

/** One turn has been heard, and its frames are shown. */
async function turnHeard(page: Page): Promise<void> {
  await page.goto('/');
  await tab(page).click();
  await expect(page.getByText('Every frame that is sent and received')).toBeVisible();
  await speakText(page, 'Good morning.');
  await heardToEnd(page);
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
}

test('every frame of a turn is listed, audio folded, and opens in detail', async ({ page }) => {
  await turnHeard(page);
  await expect(rowOf(page, 'opened').first()).toBeVisible();
  const run = list(page).locator('tr[aria-expanded]').first();
  await expect(run).toContainText(/audio frames, .* of audio in/);
  const folded = await rows(page).count();
  await run.click();
  await expect(list(page).locator('tr[aria-expanded="true"]')).toHaveCount(1);
  await expect.poll(() => rows(page).count()).toBeGreaterThan(folded);
  await rowOf(page, 'turnEnded').click();
  await expect(detail(page)).toContainText('turnEnded');
  await page.keyboard.press('Escape');
  await expect(detail(page)).toHaveCount(0);
});

test('the keyboard finds, moves, opens and leaves', async ({ page }) => {
  await turnHeard(page);
  await tab(page).focus();
  await page.keyboard.press('/');
  await expect(search(page)).toBeFocused();
  await page.keyboard.type('good');
  await expect(page.getByRole('status').filter({ hasText: /\d hits?$/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(list(page).locator('tr[aria-selected="true"][data-hit]')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(list(page)).toBeFocused();
  await page.keyboard.press('Home');
  await expect(rows(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('j');
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(detail(page)).toBeVisible();
  await page.keyboard.press('k');
  await expect(detail(page)).toContainText('#0');
  await page.keyboard.press('Escape');
  await expect(detail(page)).toHaveCount(0);
});

test('filters narrow the list, and say so where nothing is left', async ({ page }) => {
  await turnHeard(page);
  const received = page.getByRole('radio', { name: 'Received' });
  await received.click();
  await expect(rowOf(page, 'opened')).toHaveCount(0);
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
  await page.getByRole('button', { name: 'Problems only' }).click();
  await expect(page.getByText(/^None of the \d+ frames passes the filter/)).toBeVisible();
  await page.getByRole('button', { name: 'Show all frames' }).click();
  await expect(rowOf(page, 'opened').first()).toBeVisible();
});

test('a recording is there after a reload, and can be named, shown and deleted', async ({ page }) => {
  await turnHeard(page);
  await page.reload();
  await tab(page).click();
  await page.getByRole('button', { name: 'Recordings' }).click();
  const recordings = page.getByRole('list', { name: 'Recordings' }).getByRole('listitem');
  await expect(recordings).toHaveCount(1);
  await recordings.getByRole('button', { name: /^Rename / }).click();
  await recordings.getByRole('textbox').fill('First try');
  await recordings.getByRole('textbox').press('Enter');
  await expect(recordings).toContainText('First try');
  await recordings.getByRole('button', { name: 'Show First try' }).click();
  await expect(rowOf(page, 'turnEnded')).toBeVisible();
  await page.getByRole('button', { name: 'Recordings' }).click();
  await recordings.getByRole('button', { name: 'Delete First try' }).click();
  await recordings.getByRole('button', { name: 'Delete for good' }).click();
  await expect(page.getByText('Each session is recorded by itself')).toBeVisible();
});

import { axeFindings, overEdge, tooSmall } from './support/looks.ts';
import { expect, speak, test } from './support/page.ts';

test.use({ isFirstVisit: true });

test('a first visit is shown speaking, interrupting and looking inside, once', async ({ page }) => {
  await page.goto('/');
  const tour = page.getByRole('region', { name: 'Tour' });
  await expect(tour).toContainText('Press Speak');
  expect(await axeFindings(page)).toEqual([]);
  await speak(page).click();
  await expect(tour).toContainText('Press Cancel or Esc');
  await expect(page.getByRole('article', { name: 'Turn 1' })).toContainText('Speaking');
  // The first press draws all of the timeline: the legend of the wait, and the words below the sound. Only the wider
  // figures of a slow machine take a second row of the legend, and its height from the lanes.
  const legend = page.getByRole('region', { name: 'Wait' }).getByRole('term');
  await expect(legend.first()).toBeVisible();
  const tops = await legend.evaluateAll((terms) => terms.map((term) => term.getBoundingClientRect().y));
  expect(new Set(tops).size, `legend at ${tops.join(', ')}`).toBeLessThanOrEqual(2);
  const secondRow = Math.max(...tops) - Math.min(...tops);
  const hidden = await page
    .getByRole('region', { name: 'Timeline lanes' })
    .evaluate((lanes) => lanes.scrollHeight - lanes.clientHeight);
  expect(hidden).toBeLessThanOrEqual(secondRow);
  await page.keyboard.press('Escape');
  await expect(tour).toContainText('Look inside');
  await tour.getByRole('button', { name: 'Done' }).click();
  await expect(tour).toHaveCount(0);
  await page.reload();
  await expect(speak(page)).toBeEnabled();
  await page.keyboard.press('?');
  await expect(tour).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the tour' }).click();
  await expect(tour).toContainText('Press Speak');
});

test('at 360 px the tour covers nothing, and a key leaves it', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto('/');
  const tour = page.getByRole('region', { name: 'Tour' });
  await expect(tour).toContainText('Press Speak');
  expect(await overEdge(page)).toEqual([]);
  expect(await tooSmall(page)).toEqual([]);
  const [strip, composer] = await Promise.all([
    tour.boundingBox(),
    page.getByRole('region', { name: 'Composer' }).boundingBox(),
  ]);
  if (!strip || !composer) throw new Error('The tour or the composer is not shown.');
  expect(strip.y + strip.height).toBeLessThanOrEqual(composer.y);
  await page.getByRole('radio', { name: 'Live model' }).click();
  await expect(tour).toContainText('Press Ask');
  await page.keyboard.press('Escape');
  await expect(tour).toHaveCount(0);
});

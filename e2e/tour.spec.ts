import { axeFindings, overEdge, tooSmall } from './support/looks.ts';
import { expect, LONG_TEXT, speak, speakText, test } from './support/page.ts';

test.use({ isFirstVisit: true });

/**
 * Runs in the page. Measures the timeline with narrow figures, because those of a slow machine are wider, and without the
 * part of a sound output that opened late, as only a slow machine has it.
 */
async function layoutOf(wait: Element) {
  await document.fonts.ready;
  for (const figure of wait.querySelectorAll('dd:not(.sr-only)')) figure.textContent = '10 ms';
  const parts = [...wait.querySelectorAll('dl > div')].filter((part) => part instanceof HTMLElement);
  for (const part of parts) part.hidden = part.querySelector('dt')?.innerText === 'Output';
  const tops = parts.flatMap((part) => (part.hidden ? [] : part.getBoundingClientRect().y));
  const lanes = document.querySelector('[aria-label="Timeline lanes"]');
  return { legendRows: new Set(tops).size, hiddenPx: lanes && lanes.scrollHeight - lanes.clientHeight };
}

test('a first visit is shown speaking, interrupting and looking inside, once', async ({ page }) => {
  await page.goto('/');
  const tour = page.getByRole('region', { name: 'Tour' });
  await expect(tour).toContainText('Press Speak');
  expect(await axeFindings(page)).toEqual([]);
  await speakText(page, LONG_TEXT);
  await expect(tour).toContainText('Press Cancel or Esc');
  await expect(page.getByRole('article', { name: 'Turn 1' })).toContainText('Speaking');
  // The first press draws all of the timeline: the legend of the wait in one row, and the words below the sound.
  const wait = page.getByRole('region', { name: 'Wait' });
  await expect(wait.getByRole('term').first()).toBeVisible();
  await expect.poll(() => wait.evaluate(layoutOf)).toEqual({ legendRows: 1, hiddenPx: 0 });
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

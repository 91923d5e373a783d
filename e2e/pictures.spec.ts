import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { cancel, expect, speak, speakText, test, turn, withStored, words } from './support/page.ts';

const FOLDER = fileURLToPath(new URL('screenshots/', import.meta.url));
/** GitHub shows it at half this size. */
const MAX_BYTES = 250_000;

/** Different colours among a grid of points of a picture: a page that did not paint has one or two. */
const coloursIn = (page: Page, png: Buffer): Promise<number> =>
  page.evaluate(
    async (bytes) => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(picture.width, picture.height);
      const drawing = canvas.getContext('2d');
      if (!drawing) return 0;
      drawing.drawImage(picture, 0, 0);
      const { data } = drawing.getImageData(0, 0, picture.width, picture.height);
      return new Set(new Uint32Array(data.buffer).filter((_, at) => at % 7 === 0)).size;
    },
    [...png],
  );

/** The README's pictures, from real use: `npm run pictures`. */
async function picture(page: Page, name: string): Promise<void> {
  const png = await page.screenshot({ caret: 'hide' });
  expect(png.length).toBeLessThan(MAX_BYTES);
  expect(await coloursIn(page, png)).toBeGreaterThan(50);
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}${name}.png`, png);
}

test('studio-dark: the second turn is being spoken', { tag: '@picture' }, async ({ page }) => {
  await withStored(page, { theme: 'dark' });
  await page.goto('/');
  await speakText(page, 'Good morning. Your table is booked for half past seven.');
  await expect(turn(page, 1)).toContainText('€');
  await expect(words(page, 'pending')).toHaveCount(0);
  await speakText(
    page,
    'Hello, and welcome to Voicewire. You are hearing speech while it is still being made: each word lights up as ' +
      'it leaves your speakers, and the timeline below shows where the time went.',
  );
  // Past the first words, so that what is spoken, current and to come are all in the picture.
  await expect
    .poll(() => turn(page, 2).locator('[data-word][data-state="spoken"]').count())
    .toBeGreaterThan(8);
  await picture(page, 'studio-dark');
  await expect(words(page, 'current')).toHaveCount(1);
  await cancel(page).click();
  await expect(speak(page)).toBeEnabled();
});

test('scene-light: the third line is being spoken', { tag: '@picture' }, async ({ page }) => {
  await withStored(page, { theme: 'light' });
  await page.goto('/?endpoint=kugel-multi');
  await page.getByRole('button', { name: 'Scenes' }).click();
  await page.getByRole('menuitem', { name: 'A story' }).click();
  await speak(page).click();
  const third = page.getByRole('article', { name: 'Turn 3, Anton' });
  await expect.poll(() => third.locator('[data-word][data-state="spoken"]').count()).toBeGreaterThan(3);
  await picture(page, 'scene-light');
  await cancel(page).click();
  await expect(speak(page)).toBeEnabled();
});

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import {
  cancel,
  expect,
  speak,
  speakText,
  test,
  transcript,
  turn,
  withStored,
  words,
} from './support/page.ts';

/**
 * The README's pictures, from real use. `npm run pictures` writes each with an outline of its page, and `npm test` fails
 * where the page has another outline by now.
 */

const FOLDER = fileURLToPath(new URL('screenshots/', import.meta.url));
/** GitHub shows it at half this size. */
const MAX_BYTES = 250_000;
const STALE = 'The page has changed since the README’s pictures. Run: npm run pictures';

interface Picture {
  name: string;
  title: string;
  /** Opens the page as it is before the first press of Speak. */
  open: (page: Page) => Promise<void>;
  /** Leads from there to the state of the picture. */
  play: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'studio-dark',
    title: 'the second turn is being spoken',
    open: async (page) => {
      await withStored(page, { theme: 'dark' });
      await page.goto('/');
    },
    play: async (page) => {
      await speakText(page, 'Good morning. Your table is booked for half past seven.');
      await expect(turn(page, 1)).toContainText('€');
      // Its last silence as well, which the second turn would wait for.
      await expect(cancel(page)).toBeDisabled();
      await speakText(
        page,
        'Hello, and welcome to Voicewire. You are hearing speech while it is still being made: each word lights up as ' +
          'it leaves your speakers, and the timeline below shows where the time went.',
      );
      // Past the first words, so that what is spoken, current and to come are all in the picture.
      await expect
        .poll(() => turn(page, 2).locator('[data-word][data-state="spoken"]').count())
        .toBeGreaterThan(8);
      await page.getByRole('button', { name: 'Fit the turn' }).click();
      await page.getByRole('button', { name: 'Zoom out' }).click();
    },
  },
  {
    name: 'scene-light',
    title: 'the third line is being spoken',
    open: async (page) => {
      await withStored(page, { theme: 'light' });
      await page.goto('/?endpoint=kugel-multi');
      await page.getByRole('button', { name: 'Scenes' }).click();
      await page.getByRole('menuitem', { name: 'A story' }).click();
    },
    play: async (page) => {
      await speak(page).click();
      const third = page.getByRole('article', { name: 'Turn 3, Anton' });
      await expect.poll(() => third.locator('[data-word][data-state="spoken"]').count()).toBeGreaterThan(2);
    },
  },
];

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

/** Landmarks, headings and controls of an accessibility snapshot, with their names and states. */
const OUTLINED =
  /^\s*- '?((?:region|complementary|heading|tab|radio|button|switch|slider|combobox|textbox)\b.*?"(?: \[(?:selected|checked)\])?)(?=[ :']|$)/gm;

/**
 * Outlines a snapshot, without figures. It contains what is scrolled out of view as well, because fonts decide what is in
 * view.
 */
const outlined = (snapshot: string): string[] =>
  [...snapshot.matchAll(OUTLINED)].map(([, line = '']) => line.replaceAll(/\d[\d.,]*/g, '#'));

const pageOutline = async (page: Page): Promise<string[]> =>
  outlined(await page.locator('body').ariaSnapshot());

/** Outlines the lanes of the timeline. The figures beside them come and go with the timing of a turn. */
const laneOutline = async (page: Page): Promise<string[]> =>
  outlined(await page.getByRole('list', { name: 'Lanes' }).ariaSnapshot()).map((line) => `lane ${line}`);

/** Binds an outline to its picture, so that neither is replaced alone. */
const digestOf = (png: Buffer, lines: readonly string[]): string =>
  `sha256 ${createHash('sha256').update(png).update(lines.join('\n')).digest('hex')}`;

const stop = async (page: Page): Promise<void> => {
  await cancel(page).click();
  await expect(speak(page)).toBeEnabled();
};

for (const { name, title, open, play } of PICTURES) {
  const [picturePath, outlinePath] = [`${FOLDER}${name}.png`, `${FOLDER}${name}.outline.txt`];

  test(`${name}: ${title}`, { tag: '@picture' }, async ({ page }) => {
    await open(page);
    await expect(page.getByRole('tabpanel', { name: 'Timeline' })).toContainText('Press Speak');
    await page.waitForLoadState('networkidle');
    const idle = await pageOutline(page);
    await play(page);
    await expect(words(page, 'current')).toHaveCount(1);
    const png = await page.screenshot({ caret: 'hide' });
    expect(png.length).toBeLessThan(MAX_BYTES);
    expect(await coloursIn(page, png)).toBeGreaterThan(50);
    await expect(transcript(page), 'The machine is too busy for a picture.').not.toContainText('underrun');
    await writeFile(picturePath, png);
    const lines = [...idle, ...(await laneOutline(page))];
    await writeFile(outlinePath, [digestOf(png, lines), ...lines, ''].join('\n'));
    await stop(page);
  });

  test(`${name} is not older than the page`, async ({ page }) => {
    const [digest, ...lines] = (await readFile(outlinePath, 'utf8')).trimEnd().split('\n');
    expect(digest, `${name}.png and its outline were not written together. Run: npm run pictures`).toBe(
      digestOf(await readFile(picturePath), lines),
    );
    const isLane = (line: string): boolean => line.startsWith('lane ');
    await open(page);
    await expect
      .poll(() => pageOutline(page), { message: STALE })
      .toEqual(lines.filter((line) => !isLane(line)));
    await speak(page).click();
    await expect.poll(() => laneOutline(page), { message: STALE }).toEqual(lines.filter(isLane));
    await stop(page);
  });
}

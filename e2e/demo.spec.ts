import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { CANARY } from './support/canary.ts';
import { expectGoodLooks, otherThemesFindings, overEdge } from './support/looks.ts';
import {
  expect,
  keyField,
  LONG_TEXT,
  resize,
  test,
  textBox,
  transcript,
  watchWords,
  withStored,
  words,
  wordsBegin,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

async function openPresenter(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Demo mode' }).click();
  await expect(page.getByRole('button', { name: 'Leave', exact: true })).toBeVisible();
}
const playlist = (page: Page) => page.getByRole('complementary', { name: 'Playlist' });
const items = (page: Page) => playlist(page).getByRole('list', { name: 'Items' }).getByRole('listitem');
const newest = (page: Page) => transcript(page).locator('[data-turn-size="now"]');
/** The picture of the sound as it was painted last. */
const picture = (page: Page) =>
  page.locator('[data-picture] canvas').evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

async function looksGood(page: Page, what: string): Promise<void> {
  for (const width of [1440, 900, 360]) {
    await resize(page, { width, height: 900 });
    if (width === 900) expect.soft(await overEdge(page), `${what}, ${width} px`).toEqual([]);
    else await expectGoodLooks(page, `${what}, ${width} px`);
  }
}

async function choose(page: Page, name: string): Promise<void> {
  await playlist(page).getByRole('combobox', { name: 'Playlist' }).click();
  await page.getByRole('option', { name: new RegExp(name) }).click();
}

test('a newcomer reaches a looping demo of three lines of their own', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/');
  await openPresenter(page);
  await page.getByRole('button', { name: 'Playlist', exact: true }).click();
  const lines = page.getByRole('textbox', { name: 'Lines of your own' });
  await lines.click();
  await page.keyboard.type('Welcome.\nCome in.\nGoodbye.');
  await page.getByRole('button', { name: 'Add 3 lines' }).click();
  const noted = await watchWords(page);
  await page.getByRole('button', { name: 'Start' }).click();

  // A word may end between two paints, and each comes again.
  await expect
    .poll(async () => (await noted()).words.join(' '))
    .toMatch(/Welcome.*\b(?:Come|in)\b.*Goodbye.*Welcome/);
  await expect(page.locator('[data-figure="wait"]')).toContainText(/\d ms/);
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);

  await page.getByRole('button', { name: 'Close the playlist' }).click();
  await page.keyboard.press('Escape');
  await expect(words(page, 'current')).toHaveCount(0);
  const still = await picture(page);
  // Space goes on at the item that was stopped, and the picture with it.
  await page.keyboard.press('Space');
  await expect(words(page, 'current').first()).toBeVisible();
  await expect.poll(() => picture(page)).not.toBe(still);
  await page.keyboard.press('Escape');
  await expect(words(page, 'current')).toHaveCount(0);
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('button', { name: 'Demo mode' })).toBeVisible();

  // What was just spoken is a recording, which needs no server.
  await page.reload();
  await openPresenter(page);
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Add a recording' }).click();
  await page.getByRole('menuitem', { name: /kugel-stream/ }).click();
  await items(page).nth(3).locator('[data-item]').click();
  await expect(items(page).nth(3)).toContainText('Recording');
  await wordsBegin(newest(page));
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(page.getByRole('button', { name: 'Start' })).toBeVisible();
});

test('a number key switches the voice while it speaks: at once, or from the next turn', async ({ page }) => {
  await withStored(page, {
    // Long enough that words light up while a slow machine looks.
    draft: `One two three ${'and many more '.repeat(40)}thirteen.`,
  });
  await page.goto('/');
  await openPresenter(page);
  const marta = page.getByRole('button', { name: /Marta/, pressed: true });
  await expect(marta).toBeVisible();
  await page.keyboard.press('Space');
  await expect(words(page, 'spoken').nth(2)).toBeVisible();
  await page.keyboard.press('2');
  // The other voice goes on with the word that was cut off.
  await expect(page.getByRole('button', { name: /Rupert/, pressed: true })).toBeVisible();
  await expect(newest(page)).toHaveAttribute('data-voice', '2');
  await expect(newest(page)).not.toContainText('One two');
  await expect(newest(page)).toContainText('thirteen.');
  await wordsBegin(newest(page));

  await page.getByRole('switch', { name: 'Switch voices at once' }).click();
  await page.getByRole('button', { name: /Marta/ }).click();
  await expect(newest(page)).toHaveAttribute('data-voice', '2');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  await expect(newest(page)).toHaveAttribute('data-voice', '1');
  await expect(newest(page)).toContainText('One two');
});

test('a playlist is made in the studio, reordered, saved as a file and kept', async ({ page, watch }) => {
  await page.goto('/');
  await keyField(page).fill(CANARY);
  const add = async (text: string) => {
    await textBox(page).fill(text);
    await page.getByRole('button', { name: 'More controls' }).click();
    await page.getByRole('menuitem', { name: /^Add to demo/ }).click();
  };
  await add('First.');
  await expect(page.getByText('Added to My demo as item 1')).toBeVisible();
  await add(`Second, and ${CANARY}.`);
  await expect(page.getByText('Added to My demo as item 2')).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Leave', exact: true })).toBeVisible();
  await page.keyboard.press('p');
  await items(page).first().locator('[data-item]').focus();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(items(page).first()).toContainText('Second');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title' }).fill('The opening');
  await page.getByRole('textbox', { name: 'Title' }).press('Enter');
  await expect(items(page).nth(1)).toContainText('The opening');
  await expect(items(page).nth(1).locator('[data-item]')).toBeFocused();
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title' }).fill('Discarded');
  await page.getByRole('textbox', { name: 'Title' }).press('Escape');
  await expect(items(page).nth(1)).toContainText('The opening');

  const menu = (name: RegExp) => async () => {
    await page.getByRole('button', { name: 'More about the playlist' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  const [download] = await Promise.all([page.waitForEvent('download'), menu(/^Save as a file/)()]);
  expect(download.suggestedFilename()).toBe('my-demo.voicewire-programme.json');
  const file = await readFile(await download.path(), 'utf8');
  expect(file).not.toContain(CANARY);
  await menu(/^Delete the playlist/)();
  await expect(items(page)).toHaveCount(0);

  const chooser = page.getByLabel('Playlist file');
  await chooser.setInputFiles({
    name: 'x.json',
    mimeType: 'application/json',
    buffer: Buffer.from('{"a": 1}'),
  });
  await expect(playlist(page).getByRole('alert')).toContainText('x.json was not opened');
  await expect(playlist(page).getByRole('alert')).toContainText('Line 1');
  await chooser.setInputFiles({ name: 'y.json', mimeType: 'application/json', buffer: Buffer.from(file) });
  await expect(items(page).nth(1)).toContainText('The opening');
  await page.reload();
  await openPresenter(page);
  await expect(page.getByText('2 items, one after another, in a loop')).toBeVisible();
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);
});

test('every voice says the sentence: by press, by keyboard, one at a time, with its wait', async ({
  page,
}) => {
  await page.goto('/?mode=voices');
  const tile = (name: string) => page.getByRole('button', { name: new RegExp(`^(Play|Stop) ${name},`) });
  const card = (name: string) =>
    page
      .getByRole('list', { name: 'Voices' })
      .getByRole('listitem')
      .filter({ has: tile(name) });
  const playing = page.getByRole('region', { name: 'The voice that was pressed' });
  await page.getByRole('textbox', { name: 'Say this with every voice' }).fill(LONG_TEXT.slice(0, 250));
  await tile('Marta').click();
  await expect(playing).toContainText('Speaking');
  await expect(card('Marta')).toContainText(/\d ms/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(playing).toContainText('Rupert');
  await expect(tile('Marta')).toHaveAccessibleName(/^Play/);
  await expect(tile('Rupert')).toHaveAccessibleName(/^Stop/);
  await expect(card('Rupert')).toContainText(/\d ms/);
  await page.keyboard.press('f');
  await expect(card('Rupert').getByRole('button', { name: /favourites$/, pressed: true })).toBeVisible();
  await page.getByRole('button', { name: 'Favourites', exact: true }).click();
  await expect(page.getByText(/^1 of \d+ voices$/)).toBeVisible();
  await page.getByRole('button', { name: 'Use this voice' }).click();
  await expect(page.getByRole('button', { name: /^Choose a voice, now Rupert/ })).toBeVisible();

  await page.goto('/?mode=voices&endpoint=murmr');
  await page.getByRole('textbox', { name: 'Description of a voice' }).fill('A tired robot');
  await page.keyboard.press('Enter');
  await tile('A tired robot').click();
  await expect(playing).toContainText('Speaking');
  await expect(card('A tired robot')).toContainText(/\d ms/);
});

test('presenter and gallery at 1440, 900 and 360 px, in both themes and with reduced motion', async ({
  page,
}) => {
  await withStored(page, { theme: 'dark' });
  await page.goto('/');
  await openPresenter(page);
  await page.keyboard.press('p');
  await choose(page, 'A story for three voices');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Space');
  await wordsBegin(transcript(page));
  await expect(page.locator('[data-picture]')).toHaveAttribute('data-picture', 'still');
  const still = await picture(page);
  await expect(words(page, 'spoken').nth(3)).toBeVisible();
  expect(await picture(page)).toBe(still);
  await page.keyboard.press('w');
  await page.keyboard.press('p');
  await looksGood(page, 'presenter');
  expect.soft(await otherThemesFindings(page), 'presenter').toEqual([]);
  await page.goto('/?mode=voices');
  await page.getByRole('button', { name: /^Play Marta,/ }).click();
  await looksGood(page, 'gallery');
  expect.soft(await otherThemesFindings(page), 'gallery').toEqual([]);
});

import type { Page } from '@playwright/test';
import { expectGoodLooks, otherThemesFindings } from './support/looks.ts';
import {
  cancel,
  expect,
  heardToEnd,
  LONG_TEXT,
  painted,
  resize,
  speak,
  test,
  textBox,
  transcript,
  watchWords,
  withStored,
  words,
  wordsBegin,
  writeScript,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

const openScene = (page: Page) => page.goto('/?endpoint=kugel-multi');
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

test('one press of Speak plays a scene of two in turn, with lanes, words and usage of each', async ({
  page,
  watch,
}) => {
  await withStored(page, { theme: 'dark' });
  await openScene(page);
  await expect(textBox(page)).toContainText('Marta: ');
  await writeScript(page, 'Marta: Good morning.\nRupert: And to you.\nMarta: Sit down.\nRupert: Thank you.');
  const noted = await watchWords(page);
  const lanes = page.getByRole('tabpanel', { name: 'Timeline' });
  const speaking = painted(lanes, 'Speaking');
  await speak(page).click();
  await expect(lanes).toContainText('Marta');
  await expect(lanes).toContainText('Rupert');
  await speaking;
  await heardToEnd(page);

  const { most, speakers } = await noted();
  expect(most).toBe(1);
  // A line that no paint showed leaves its neighbours as one.
  expect(['Marta', 'Rupert', 'Marta', 'Rupert'].join()).toContain(speakers.join());
  expect(speakers.length).toBeGreaterThan(1);
  const { samples, sampleRate } = await recorded(page);
  expect(sampleRate).toBe(24_000);
  expect(peakOf(samples)).toBeGreaterThan(0.1);

  await tab(page, 'Usage');
  const usage = page.getByRole('region', { name: 'Usage' }).getByRole('table', { name: 'Usage by context' });
  for (const name of ['Marta', 'Rupert', 'All']) {
    await expect(usage.getByRole('row', { name })).toContainText(/€0\.\d+/);
  }
  await tab(page, 'Chunks');
  const rows = page.getByRole('table', { name: 'Chunks' }).getByRole('row');
  await expect(rows.filter({ hasText: 'Marta' }).first()).toBeVisible();
  await expect(rows.filter({ hasText: 'Rupert' }).first()).toBeVisible();
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);

  await writeScript(page, 'Marta: Good morning.\nNobody: Hm.');
  await expectGoodLooks(page, 'the whole page, wide');
  expect.soft(await otherThemesFindings(page)).toEqual([]);
  await resize(page, { width: 360, height: 900 });
  await expectGoodLooks(page, 'the stage');
  for (const panel of ['Timeline', 'Usage', 'Set-up']) {
    await tab(page, panel);
    await expectGoodLooks(page, panel, '[role=tabpanel]');
  }
  await page.getByRole('button', { name: 'Marta', exact: true }).click();
  await expect(page.getByRole('slider', { name: 'Position of Marta' })).toBeVisible();
  await expectGoodLooks(page, 'settings of a speaker');
});

test('a barge-in on one speaker does not stop the other', async ({ page }) => {
  await openScene(page);
  await page.getByRole('radio', { name: 'All at once' }).click();
  await writeScript(page, `Marta: ${LONG_TEXT}\nRupert: ${LONG_TEXT}`);
  const of = (name: string) => transcript(page).getByRole('article', { name: new RegExp(name) });
  await speak(page).click();
  await wordsBegin(of('Marta'));
  await wordsBegin(of('Rupert'));
  await page.getByRole('button', { name: 'More about Marta' }).click();
  await page.getByRole('menuitem', { name: 'Cancel this speaker' }).click();
  await expect(of('Marta')).toContainText('Cancelled');
  const spoken = of('Rupert').locator('[data-word][data-state="spoken"]');
  const before = await spoken.count();
  await expect.poll(() => spoken.count()).toBeGreaterThan(before);
  await cancel(page).click();
  await expect(of('Rupert')).toContainText('Cancelled');
  await expect(words(page, 'current')).toHaveCount(0);
});

test('at the limit of contexts one more is refused in its place, and the others continue', async ({
  page,
}) => {
  await openScene(page);
  await page.getByRole('button', { name: 'Scenes' }).click();
  await page.getByRole('menuitem', { name: 'Twenty voices counting' }).click();
  await page.getByRole('button', { name: 'Add a speaker' }).click();
  await page.getByRole('textbox', { name: 'Name of the speaker' }).fill('Late');
  await page.keyboard.press('Enter');
  await expect(page.getByText(/one more is refused until/)).toBeVisible();
  // The server closes them again before a busy machine looks.
  const all = painted(page.locator('body'), '20 of 20 contexts open');
  await page.getByRole('button', { name: 'Open all contexts' }).click();
  await all;
  const late = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Late', exact: true }) });
  await expect(late).toContainText('refused');
  await expect(page.getByText(/close a context|Close a context/).first()).toBeVisible();
  await writeScript(page, 'Marta: Still here.');
  await speak(page).click();
  await expect(transcript(page)).toContainText('Still here.');
  await heardToEnd(page);
});

test('a context is opened and kept, an unknown speaker joins the cast, and every button stays inside the pane', async ({
  page,
}) => {
  await openScene(page);
  await page.getByRole('button', { name: 'More about Marta' }).click();
  await page.getByRole('menuitem', { name: 'Open the context' }).click();
  const member = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('button', { name, exact: true }) });
  await expect(member('Marta')).toContainText(/closes in \d+ s/);
  await page.getByRole('button', { name: 'Marta', exact: true }).click();
  await page.getByRole('switch', { name: 'Keep the context open' }).click();
  await expect(member('Marta')).toContainText('kept open');

  await writeScript(page, 'Marta: Hello.\nConductor: Mind the step.');
  await expect(page.getByText('1 line, 1 not sent')).toBeVisible();
  await page.getByRole('button', { name: 'Add the speaker' }).click();
  await expect(page.getByRole('button', { name: 'Conductor', exact: true })).toBeVisible();
  await expect(page.getByText('2 lines', { exact: true })).toBeVisible();
  await speak(page).click();
  await expect(transcript(page)).toContainText('Mind the step.');
  await heardToEnd(page);

  // Also at its narrowest; at 900 px it is below the transcript.
  const outside = () =>
    page.getByRole('region', { name: 'Composer' }).evaluate((pane) => {
      const { left, right } = pane.getBoundingClientRect();
      return [...pane.querySelectorAll('button')].filter((button) => {
        const box = button.getBoundingClientRect();
        return box.left < left + 8 || box.right > right - 8;
      }).length;
    });
  expect(await outside()).toBe(0);
  await page.getByRole('separator', { name: 'Size of the script' }).press('End');
  expect((await textBox(page).boundingBox())?.width).toBeLessThan(360);
  expect(await outside()).toBe(0);
  await resize(page, { width: 900, height: 900 });
  const box = await transcript(page).boundingBox();
  expect(box?.width).toBeGreaterThan(500);
  expect((await textBox(page).boundingBox())?.y).toBeGreaterThan((box?.y ?? 0) + (box?.height ?? 0));
});

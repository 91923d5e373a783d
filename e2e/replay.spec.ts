import type { Page } from '@playwright/test';
import { startAnsweringServer, turnSamples } from './support/frames.ts';
import { expectGoodLooks, overEdge } from './support/looks.ts';
import {
  connection,
  expect,
  heardToEnd,
  openOn,
  resize,
  speak,
  speakText,
  test,
  textBox,
  transcript,
  turn,
  words,
} from './support/page.ts';
import { floatsOf, hearWhole } from './support/tap.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Replay' });
const replayButton = (page: Page) => page.getByRole('button', { name: 'Replay', exact: true });
const framesTab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });

test('a replay sounds like the session, to the bit, connects to nothing, and keeps the endpoint chosen before a reload', async ({
  page,
}) => {
  const seconds = 1.5;
  const server = await startAnsweringServer(seconds);
  await openOn(page, server.base);
  await framesTab(page).click();
  await speakText(page, 'Twelve euros fifty, please.');
  await heardToEnd(page);
  const spoken = floatsOf(turnSamples(seconds));
  const { endAt } = await hearWhole(page, spoken);
  // There is nobody any more to connect to.
  await server.close();
  await page.getByRole('combobox', { name: 'Endpoint' }).click();
  await page.getByRole('option', { name: /^murmr/ }).click();
  await expect(turn(page, 1)).toBeVisible();

  await replayButton(page).click();
  await expect(bar(page)).toContainText('Replay of');
  await expect(turn(page, 1)).toContainText('Spoken');
  await hearWhole(page, spoken, { after: endAt });
  expect(server.urls).toHaveLength(1);
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Endpoint' })).toContainText('murmr');
});

test('a replay can be paused, and Speak returns to the session and its turns', async ({ page }) => {
  const server = await startAnsweringServer(3);
  await openOn(page, server.base);
  await framesTab(page).click();
  await speakText(page, 'One two three four five six seven eight nine ten.');
  await expect(turn(page, 1)).toContainText('Spoken');
  // At the paint that lights a word, as on a busy machine the replay would be over.
  const paused = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const look = () => {
          const pause = document.querySelector<HTMLElement>('[aria-label="Replay"] [aria-label="Pause"]');
          if (!pause || !document.querySelector('[data-word][data-state="current"]')) {
            requestAnimationFrame(look);
            return;
          }
          pause.click();
          resolve();
        };
        look();
      }),
  );
  await replayButton(page).click();
  await paused;
  await expect(connection(page)).toHaveAccessibleName(/^Connection: Replay, recorded: connected/);
  await expect(bar(page).getByRole('button', { name: 'Play', exact: true })).toBeVisible();
  const word = await words(page, 'current').textContent();
  await expectGoodLooks(page, 'a replay, paused');
  // The narrowest window with columns.
  await resize(page, { width: 900, height: 900 });
  expect(await overEdge(page)).toEqual([]);
  await resize(page, { width: 1440, height: 900 });
  expect(await words(page, 'current').textContent()).toBe(word);
  const before = await words(page, 'spoken').count();
  await bar(page).getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(() => words(page, 'spoken').count()).toBeGreaterThan(before);

  // The other modes have sound of their own, and no control of this.
  await page.getByRole('radio', { name: 'Compare' }).click();
  await page.getByRole('radio', { name: 'Studio' }).click();
  await expect(bar(page).getByRole('button', { name: 'Play', exact: true })).toBeVisible();

  await textBox(page).fill('Again.');
  await speak(page).click();
  await expect(bar(page)).toHaveCount(0);
  await expect(transcript(page).getByRole('article')).toHaveCount(2);
  await expect(connection(page)).toHaveAccessibleName(/^Connection: Connected/);
  await expect(turn(page, 2)).toContainText(/Speaking|Spoken/);
  expect(server.received.filter(({ text }) => text === 'Again.')).toHaveLength(1);
  await server.close();
});

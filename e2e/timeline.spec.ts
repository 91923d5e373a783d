import type { Page } from '@playwright/test';
import { audioFrames, RATE, startedFrame } from './support/frames.ts';
import {
  cancel,
  expect,
  heardToEnd,
  openOn,
  speakText,
  test,
  turn,
  watchWords,
  withStored,
  words,
} from './support/page.ts';
import { startScriptedServer, tone } from './support/scripted-server.ts';

const panel = (page: Page) => page.getByRole('tabpanel', { name: 'Timeline' });

/** The canvas of the lanes, and where its pixels are. */
async function lanes(page: Page) {
  const box = await panel(page).locator('canvas').nth(1).boundingBox();
  if (!box) throw new Error('The lanes are not in view.');
  return box;
}

test('the lanes can be measured, played from a point, and read as a table', async ({ page }) => {
  await withStored(page, { dockTab: 'timeline' });
  await page.goto('/');
  await expect(panel(page)).toContainText('Press Speak');
  await speakText(page, 'Good morning to all of you.');
  await heardToEnd(page);
  await expect(panel(page).getByRole('list', { name: 'Lanes' })).toContainText('1 of 1 done');
  await page.getByRole('button', { name: 'Fit the turn' }).click();

  const { x, y, width, height } = await lanes(page);
  // From before the first text to behind the last sample.
  await page.keyboard.down('Shift');
  await page.mouse.move(x + 2, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + width - 4, y + 12, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const span = panel(page).getByRole('region', { name: 'Span' });
  await expect(span).toContainText('1 frame, 27 characters');
  await expect(span).toContainText(/heard\s*[12]\.\d\d s/);
  await span.getByRole('button', { name: 'Clear the span' }).click();
  await expect(span).toHaveCount(0);

  // The wave is above the words, in the last of the lanes. Near its end it is sound, however long the wait was.
  const noted = await watchWords(page);
  await page.mouse.click(x + width * 0.8, y + height - 40);
  await expect.poll(async () => (await noted()).words.length).toBeGreaterThan(0);
  await heardToEnd(page);
  expect((await noted()).words).not.toContain('Good');

  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = panel(page).getByRole('table', { name: 'Timeline' });
  for (const what of ['connected', 'text sent', 'wait', 'chunk 0', 'audio received', 'buffer', 'heard']) {
    await expect(table.getByRole('cell', { name: what, exact: true })).toHaveCount(1);
  }
  await page.getByRole('button', { name: 'Show as table' }).click();

  // A selected item stays in view until the next press of Speak.
  const following = (is: boolean) =>
    expect(page.getByRole('button', { name: is ? 'Following' : 'Follow', exact: true })).toHaveAttribute(
      'aria-pressed',
      String(is),
    );
  const lanesRegion = panel(page).getByRole('region', { name: 'Timeline lanes' });
  await lanesRegion.press('End');
  await following(true);
  await lanesRegion.press('j');
  await following(false);
  await speakText(page, 'Good night.');
  await following(true);
});

/** Longer than a press of Cancel takes on a busy machine. */
const SECONDS = 60;

test('audio cut off by a barge-in is shown as never heard', async ({ page }) => {
  const text = 'one two three four';
  const server = await startScriptedServer((_, message, say) => {
    if (message.cancel) say({ interrupted: true });
    if (message.flush)
      for (const frame of [startedFrame(text), ...audioFrames(tone(SECONDS * RATE, RATE))]) say(frame);
  });
  await openOn(page, server.base);
  await speakText(page, text);
  await expect(words(page, 'current')).toHaveCount(1);
  await cancel(page).click();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await page.getByRole('button', { name: 'Show as table' }).click();
  const rows = panel(page).getByRole('table', { name: 'Timeline' }).getByRole('row');
  await expect(rows.filter({ hasText: 'never heard' })).toContainText(/\d+\.\d\d s received/);
  await expect(rows.filter({ hasText: 'cancel' })).toHaveCount(1);
  await server.close();
});

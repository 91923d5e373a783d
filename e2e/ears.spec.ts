import type { Page } from '@playwright/test';
import { expectGoodLooks } from './support/looks.ts';
import { expect, heardToEnd, speakText, test } from './support/page.ts';
import type { TapWindow } from './support/tap.ts';

/** The loudest sample of an output. */
const peakOf = (page: Page, output: number): Promise<number> =>
  page.evaluate((wanted) => {
    const { tapped } = window as unknown as TapWindow;
    let peak = 0;
    for (const { context, left } of tapped)
      if (context === wanted) for (const sample of left) peak = Math.max(peak, Math.abs(sample));
    return peak;
  }, output);

const outputs = (page: Page) => page.evaluate(() => (window as unknown as TapWindow).tappedContexts.length);

test('a dropped word and a stretch that is spoken twice are found, shown at its place in every panel, and played from before it', async ({
  page,
}) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Add faults' }).click();
  const faults = page.getByRole('dialog', { name: 'Faults' });
  await faults.getByRole('textbox', { name: 'Specification' }).fill('drop-word@3,duplicate@6');
  await faults.getByRole('button', { name: 'Switch on' }).click();
  await speakText(page, 'A whole sentence that loses one word, and then some.');
  await heardToEnd(page);

  const timeline = page.getByRole('tabpanel', { name: 'Timeline' });
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  const row = timeline.getByRole('row').filter({ hasText: 'Stretch that is played twice (warning)' });
  await expect(row).toHaveCount(1);
  await expect(row.getByRole('cell').first()).toHaveText('finding');
  const dropped = timeline.getByRole('row').filter({ hasText: 'Word that is timed into silence (warning)' });
  await expect(dropped).toHaveCount(1);

  await page.getByRole('tab', { name: /^Frames/ }).click();
  await page.getByRole('button', { name: /^\d+ findings?$/ }).click();
  await page.getByRole('button', { name: /^Stretch that is played twice/ }).click();
  const found = page.getByRole('list', { name: 'Found: Stretch that is played twice' });
  await page.getByRole('button', { name: /^Word that is timed into silence/ }).click();
  await expect(page.getByRole('list', { name: 'Found: Word that is timed into silence' })).toContainText(
    'expected the sound of "sentence"',
  );
  await expect(found).toContainText(/turn 1, \d\.\d\d–\d\.\d\d s/);
  await found.getByRole('button', { name: /^#/ }).click();
  const notes = page.getByRole('list', { name: 'Findings of this frame' }).getByRole('listitem');
  const note = notes.filter({ hasText: 'Stretch that is played twice' });
  await expect(note).toContainText(/turn 1, \d\.\d\d–\d\.\d\d s/);
  const band = page.getByRole('list', { name: 'Findings in it' }).getByRole('listitem');
  await expect(
    band.filter({ hasText: 'Stretch that is played twice' }).getByRole('img'),
  ).toHaveAccessibleName('warning');
  await expectGoodLooks(page, 'the findings in the sound');

  const before = await outputs(page);
  await note.getByRole('button', { name: /^Play from \d\.\d\d s$/ }).click();
  await expect.poll(() => outputs(page)).toBe(before + 1);
  await expect.poll(() => peakOf(page, before)).toBeGreaterThan(0.05);
  await note.getByRole('button', { name: 'Stop' }).click();
  await page.waitForFunction(
    (at) => (window as unknown as TapWindow).tappedContexts[at]?.state === 'closed',
    before,
  );
  // Another clip takes the place of the one that plays.
  await note.getByRole('button', { name: /^Play from/ }).click();
  await found.getByRole('button', { name: /^Play from/ }).click();
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(1);
  await expect(found.getByRole('button', { name: 'Stop' })).toBeVisible();
  // At the end of the clip.
  await expect(found.getByRole('button', { name: /^Play from/ })).toBeVisible();

  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Replay' })).toContainText('Replay of');
  await found.getByRole('button', { name: /^Play from/ }).click();
  await expect.poll(() => peakOf(page, before + 3)).toBeGreaterThan(0.05);
  await heardToEnd(page);
  await page.getByRole('tab', { name: /^Timeline/ }).click();
  await expect(row).toHaveCount(1);
});

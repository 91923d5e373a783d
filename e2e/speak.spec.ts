import { expect, heardToEnd, speak, speakText, test, textBox, watchWords, words } from './support/page.ts';
import { peakOf, recorded, type TapWindow } from './support/tap.ts';

test('one press of Speak plays audio by an output that the first gesture opened, lights the words in order, and shows chunks and cost', async ({
  page,
  watch,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/');
  const outputs = () =>
    page.evaluate(() => (window as unknown as TapWindow).tappedContexts.map(({ state }) => state));
  await expect(speak(page)).toBeEnabled();
  expect(await outputs()).toEqual([]);
  await textBox(page).click();
  await expect.poll(outputs).toEqual(['running']);
  const noted = await watchWords(page);
  await speakText(page, 'You can hear the 12 words, each of them, as it lights up.');
  await heardToEnd(page);
  expect(await outputs()).toEqual(['running']);

  const { words: seen, most } = await noted();
  expect(most).toBe(1);
  const written = await words(page).allTextContents();
  expect(written.join(' ')).toBe('You can hear the 12 words each of them as it lights up');
  // A word may end between two paints. Those that are seen come in order.
  let at = -1;
  for (const word of seen) {
    const next = written.indexOf(word, at + 1);
    expect(next, `“${word}” after “${written[at] ?? ''}”`).toBeGreaterThan(at);
    at = next;
  }
  expect(seen.length).toBeGreaterThan(1);

  const { samples, sampleRate } = await recorded(page);
  expect(sampleRate).toBe(24_000);
  expect(peakOf(samples)).toBeGreaterThan(0.1);

  await page.getByRole('tab', { name: 'Chunks' }).click();
  const rows = page.getByRole('table', { name: 'Chunks' }).getByRole('row');
  await expect(rows.nth(1)).toBeVisible();
  await page.getByRole('tab', { name: 'Usage' }).click();
  await expect(page.getByRole('region', { name: 'Usage' })).toContainText(/€0\.\d+/);
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);
});

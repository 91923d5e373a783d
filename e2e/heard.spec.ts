import type { Page } from '@playwright/test';
import { axeFindings } from './support/looks.ts';
import { expect, heardToEnd, openOn, speakText, test, turn, words } from './support/page.ts';
import { audioFrame, startScriptedServer, tone } from './support/scripted-server.ts';

const RATE = 24_000;
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}`) });
const rows = (page: Page) => page.getByRole('treegrid', { name: 'Frames' }).locator('tbody tr');
const detail = (page: Page) => page.getByRole('article', { name: /^Frame / });

/** Half a second of sound, and the rest of the turn when `goOn` is called. */
async function startGapServer() {
  let goOn = () => {};
  const server = await startScriptedServer((_, message, say) => {
    if (message.text) say({ generation_started: true, chunk_id: 0, text: message.text });
    if (!message.flush) return;
    const half = tone(RATE / 2, RATE);
    const totals = { total_audio_seconds: 1, total_text_chunks: 1, total_audio_chunks: 2 };
    say(audioFrame(half, 0, RATE));
    goOn = () => {
      say(audioFrame(half, 1, RATE));
      say({ chunk_complete: true, chunk_id: 0, audio_seconds: 1, gen_ms: 5 });
      say({ final: true, ...totals });
      say({ session_closed: true, ...totals, usage: { audio_seconds: 1, characters: 2, cost_cents: 1 } });
    };
  });
  return { ...server, goOn: () => goOn() };
}

test('an underrun is listed among the frames, and each frame shows when it was heard', async ({ page }) => {
  const server = await startGapServer();
  await openOn(page, server.base);
  await tab(page, 'Frames').click();
  await speakText(page, 'La');
  await expect(turn(page, 1)).toContainText('Ran dry');
  server.goOn();
  const dry = rows(page).filter({ hasText: /player ran dry: \d+ ms of silence until \d/ });
  await expect(dry).toHaveCount(1);
  const heard = rows(page).filter({ hasText: 'heard whole' });
  await expect(heard).toContainText('in 2 pieces: 1.00 s, 24,000 samples');
  await page.getByRole('radio', { name: 'Player' }).click();
  // That the turn began, the underrun, the words that were found in the sound, and what was heard.
  await expect(rows(page)).toHaveCount(4);
  await page.getByRole('radio', { name: 'Received' }).click();
  await rows(page).filter({ hasText: '2 audio frames' }).click();
  await rows(page).filter({ hasText: '500 ms of audio' }).first().click();
  const fate = detail(page).getByRole('region', { name: 'What became of it' });
  await expect(fate).toContainText(/Received.* s.*In the buffer.* ms.*Heard.* s to .* s/);
  await expect(detail(page)).toContainText('within turn 1');
  await server.close();
});

test('a word and a chunk lead to their frames, and back', async ({ page }) => {
  await page.goto('/');
  await speakText(page, 'Good morning. The train is late.');
  await heardToEnd(page);
  await words(page).filter({ hasText: 'morning' }).click();
  await page.getByRole('button', { name: 'Frames', exact: true }).click();
  await expect(detail(page).getByRole('list', { name: 'Words in it' })).toContainText('morning');
  expect(await axeFindings(page, 'section[aria-label="Frames"]')).toEqual([]);
  await detail(page).getByRole('button', { name: 'Chunks' }).click();
  const chunk = page.getByRole('table', { name: 'Chunks' }).locator('tr[data-selected]');
  await expect(chunk).toContainText('Good morning.');
  await chunk.getByRole('button', { name: /^Frames of chunk/ }).click();
  await expect(detail(page)).toContainText('audio');
  await detail(page).getByRole('button', { name: 'Transcript' }).click();
  await expect(words(page).and(page.locator('[data-selected]'))).toHaveCount(1);
});

import type { Page } from '@playwright/test';
import { expectGoodLooks } from './support/looks.ts';
import { expect, heardToEnd, speak, speakText, test, transcript, turn, words } from './support/page.ts';
import { indexOfSamples, recorded } from './support/tap.ts';
import { startUnisolated } from './support/unisolated.ts';

const bar = (page: Page) => page.getByRole('region', { name: 'Replay' });
const replayButton = (page: Page) => page.getByRole('button', { name: 'Replay', exact: true });
const framesTab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });

/** What is heard, without the silence before and behind it. */
function soundIn(samples: Float32Array): { from: number; to: number } {
  return { from: samples.findIndex((sample) => sample !== 0), to: samples.findLastIndex((s) => s !== 0) + 1 };
}

for (const transport of ['shared memory', 'messages'] as const) {
  test(`a replay is heard as the session was, to the bit, by ${transport}, and connects to nothing`, {
    tag: '@sound',
  }, async ({ page, baseURL }) => {
    const unisolated = await startUnisolated(baseURL ?? '');
    const sockets: string[] = [];
    page.on('websocket', (socket) => sockets.push(socket.url()));
    await page.goto(transport === 'messages' ? `${unisolated.origin}/` : '/');
    await page.getByRole('tab', { name: /^Frames/ }).click();
    await speakText(page, 'Twelve euros fifty, please.');
    await heardToEnd(page);
    const live = await recorded(page);
    const { from, to } = soundIn(live.samples);
    const spoken = live.samples.slice(from, to);
    expect(spoken.length).toBeGreaterThan(live.sampleRate);
    const connections = sockets.length;

    await replayButton(page).click();
    await expect(bar(page)).toContainText('Replay of');
    await heardToEnd(page);
    await expect(turn(page, 1)).toContainText('Spoken');
    await expect
      .poll(async () => indexOfSamples((await recorded(page)).samples.slice(to), spoken))
      .toBeGreaterThan(0);
    expect(sockets.length).toBe(connections);
    await unisolated.close();
  });
}

test('a replay can be paused, and Speak leaves it for the session, whose turns are there again', async ({
  page,
}) => {
  await page.goto('/');
  await framesTab(page).click();
  await speakText(page, 'Good morning, everybody.');
  await heardToEnd(page);
  await speakText(page, 'Good night.');
  await expect(turn(page, 2)).toContainText('Spoken');
  await replayButton(page).click();
  await expect(words(page, 'current')).toHaveCount(1);
  await bar(page).getByRole('button', { name: 'Pause' }).click();
  const word = await words(page, 'current').textContent();
  await expectGoodLooks(page, 'a replay, paused');
  expect(await words(page, 'current').textContent()).toBe(word);
  await expect(turn(page, 2)).toHaveCount(0);
  await bar(page).getByRole('button', { name: 'Play' }).click();
  await expect(turn(page, 2)).toContainText('Speaking');

  await speak(page).click();
  await expect(bar(page)).toHaveCount(0);
  await expect(turn(page, 3)).toContainText('Spoken');
  await expect(transcript(page).getByRole('article')).toHaveCount(3);
  await expect(turn(page, 1)).toContainText('Good morning, everybody.');
});

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Page } from '@playwright/test';
import { endWithUs } from '#lib/testing/end-with-us.ts';
import { startAnsweringServer, turnSamples } from './support/frames.ts';
import { expectGoodLooks } from './support/looks.ts';
import { expect, heardToEnd, openOn, speak, speakText, test, turn } from './support/page.ts';
import { floatsOf, hearWhole } from './support/tap.ts';

const SECONDS = 0.8;
const TEXT = 'Twelve euros fifty, please.';
const framesTab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });
const dialog = (page: Page) => page.getByRole('dialog', { name: /^Serve / });
const connections = (page: Page) =>
  dialog(page).getByRole('region', { name: 'Connections to the recording' }).getByRole('listitem');

/** Records a turn. @returns the end of its sound */
async function recordTurn(page: Page, base: string): Promise<number> {
  await openOn(page, base);
  await framesTab(page).click();
  await speakText(page, TEXT);
  await heardToEnd(page);
  const { endAt } = await hearWhole(page, floatsOf(turnSamples(SECONDS)));
  return endAt;
}

/** Opens the form that serves the first recording of the list. */
async function serve(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Recordings', exact: true }).click();
  await page
    .getByRole('button', { name: /^Serve / })
    .last()
    .click();
  await expect(dialog(page).getByText('Base URL', { exact: true })).toBeVisible();
}

async function closeDialogs(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

const opened: ChildProcess[] = [];
test.afterEach(() => {
  for (const child of opened.splice(0)) child.kill('SIGKILL');
});

test('a recording speaks to the page that serves it, and lists what the page did otherwise', async ({
  page,
}) => {
  const server = await startAnsweringServer(SECONDS);
  const endAt = await recordTurn(page, server.base);
  await serve(page);
  // Its recording ends before its server does, whose end it would repeat.
  await server.close();
  await expectGoodLooks(page, 'serve', '[role=dialog]');
  await dialog(page).getByRole('button', { name: 'Speak to it here' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByRole('combobox', { name: 'Server' })).toContainText('Recording');

  await speakText(page, TEXT);
  await hearWhole(page, floatsOf(turnSamples(SECONDS)), { after: endAt });
  await serve(page);
  await expect(connections(page)).toHaveCount(1);
  await expect(connections(page)).toContainText('as recorded');
  await closeDialogs(page);

  // A further turn begins the recording again, on the same connection.
  await speakText(page, TEXT);
  await expect(turn(page, 3)).toContainText('Spoken');
  await serve(page);
  await expect(connections(page)).toHaveCount(1);
  await expect(connections(page)).toContainText('as recorded');
  await closeDialogs(page);

  await page.getByRole('button', { name: 'More controls' }).click();
  await page.getByRole('menuitem', { name: /^Disconnect/ }).click();
  await speakText(page, 'Thirteen euros, please.');
  await expect(turn(page, 4)).toContainText('Spoken');
  await serve(page);
  await expect(connections(page).first()).toContainText(/difference.*got text "Thirteen euros, please\."/);

  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Server' })).toContainText('Recording');
  await framesTab(page).click();
  await serve(page);
  await expect(connections(page)).toHaveCount(2);
  await dialog(page).getByRole('button', { name: 'Stop serving' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect(page.getByRole('combobox', { name: 'Server' })).not.toContainText('Recording');
});

test('voicewire open shows a file once, and serves it to its page', async ({ page }) => {
  const file = 'public/recordings/three-speakers.voicewire.ndjson.gz';
  const args = ['build/command/voicewire.js', 'open', '--no-open', file];
  const child = endWithUs(spawn(process.execPath, args, { env: { ...process.env, HOST: '', PORT: '0' } }));
  opened.push(child);
  let address = '';
  for await (const line of createInterface({ input: child.stdout })) {
    address = /^\S+ opens at (http:\S+)$/.exec(line)?.[1] ?? '';
    if (address !== '') break;
  }
  const frames = page.getByRole('treegrid', { name: 'Frames' });
  for (let times = 0; times < 2; times += 1) {
    await page.goto(address);
    await expect(frames.getByText('contextOpened').first()).toBeVisible();
  }
  await page.getByRole('button', { name: 'Recordings', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Recordings' }).getByRole('listitem')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: /^Recording/ }).click();
  await expect(page.getByRole('combobox', { name: 'Endpoint' })).toContainText('kugel-multi');
  await speak(page).click();
  await page.getByRole('button', { name: 'Recordings', exact: true }).click();
  await page.getByRole('button', { name: 'Serve Three speakers on one socket' }).click();
  await expect(connections(page).first()).toContainText('KugelAudio multi');
});

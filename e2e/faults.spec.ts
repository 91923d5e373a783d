import type { Page } from '@playwright/test';
import { systemClock } from '#lib/clock.ts';
import { Capture } from '#server/capture/capture.ts';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { createTestEngine } from '#server/test-engine.test-helper.ts';
import { startLocalServer } from './bench/local-server.ts';
import { expectGoodLooks, otherThemesFindings } from './support/looks.ts';
import {
  cancel,
  expect,
  keyField,
  resize,
  speak,
  speakText,
  test,
  transcript,
  turn,
} from './support/page.ts';
import { recorded, type TapWindow } from './support/tap.ts';

const form = (page: Page) => page.getByRole('dialog', { name: 'Faults' });
const specification = (page: Page) => form(page).getByRole('textbox', { name: 'Specification' });
const badge = (page: Page) => page.getByRole('button', { name: 'Faults are on. Switch them off' });
const strikes = (page: Page) =>
  page
    .getByRole('treegrid', { name: 'Frames' })
    .locator('tbody tr')
    .filter({ has: page.getByRole('img', { name: 'fault on purpose' }) });
const openForm = (page: Page) => page.getByRole('button', { name: /^(Add|Change) faults$/ }).click();

async function switchOn(page: Page, spec: string): Promise<void> {
  await openForm(page);
  await specification(page).fill(spec);
  await form(page)
    .getByRole('button', { name: /^(Switch on|Use these)$/ })
    .click();
}

interface Case {
  spec: string;
  /** In the turn, at some time. */
  shows?: RegExp;
  /** The turn's last word. */
  ends: 'Spoken' | 'Connection lost' | 'Failed';
  /** A message beside the turn. */
  says?: RegExp;
  /** The linter names it too. */
  isFound?: true;
}

/** A step between two samples of undisturbed speech is below 0.3, and bytes in the wrong order make steps up to 2. */
const CLICK = 0.4;

/** Speaks one turn and waits for its end and its reasons. */
async function speakThrough(page: Page, number: number, { shows, ends, says, isFound }: Omit<Case, 'spec'>) {
  await page.evaluate(() => (window as unknown as TapWindow).tapped?.splice(0));
  const spoken = turn(page, number);
  await speakText(page, 'Good morning.');
  const reason = spoken.locator('[role="alert"], [role="status"]').filter({ hasText: says ?? '' });
  if (shows) await expect(spoken).toContainText(shows);
  await expect(spoken).toContainText(ends);
  if (says) await expect(reason).not.toHaveCount(0);
  if (isFound) await expect(page.getByRole('button', { name: /^\d+ findings?$/ })).toBeVisible();
  // The tap hands samples over in batches.
  if (ends === 'Spoken') await expect.poll(() => largestStep(page)).toBeGreaterThan(0);
  expect(await largestStep(page), 'the largest step between two samples that were heard').toBeLessThan(CLICK);
}

async function largestStep(page: Page): Promise<number> {
  const { samples } = await recorded(page);
  let step = 0;
  for (let at = 1; at < samples.length; at += 1)
    step = Math.max(step, Math.abs((samples[at] ?? 0) - (samples[at - 1] ?? 0)));
  return step;
}

const FINE = { ends: 'Spoken' } as const;
const CASES: readonly Case[] = [
  { spec: 'latency=60,latency-in=40,latency-out=40,jitter=60,bandwidth=400,seed=3', ...FINE },
  // The state passes; the counted underrun stays.
  { spec: 'stall=1000@3', ...FINE, shows: /Ran dry|underrun/ },
  { spec: 'close=4500@3', ends: 'Connection lost', says: /The model is down or overloaded.*4500/ },
  { spec: 'refuse=503', ends: 'Connection lost', says: /did not take the connection/ },
  { spec: 'error=MODEL_UNAVAILABLE@1', ends: 'Failed', says: /MODEL_UNAVAILABLE, 503/ },
  { spec: 'odd-byte@3', ...FINE, isFound: true, says: /ends in the middle of a sample/ },
];

test('faults are shown beside their turn, heard without a click, and named', async ({ page, watch }) => {
  // Of the refused handshake, which the browser logs by itself.
  watch.allowed.push(/503/);
  await page.goto('/');
  await page.getByRole('tab', { name: /^Frames/ }).click();
  for (const [at, one] of CASES.entries()) {
    await test.step(one.spec, async () => {
      await switchOn(page, one.spec);
      if (at === 0) {
        // Strikes are reported only from now on.
        await openForm(page);
        await expect(form(page).getByText('The server reports no strikes')).toHaveCount(0);
        await page.keyboard.press('Escape');
      }
      await speakThrough(page, at + 1, one);
      for (const fault of one.spec.split(',').filter((part) => !part.startsWith('seed')))
        await expect(strikes(page).filter({ hasText: `${fault}: ` })).not.toHaveCount(0);
    });
  }
  await badge(page).click();
  await expect(badge(page)).toHaveCount(0);
  await speakThrough(page, CASES.length + 1, FINE);
  await expect(strikes(page)).toHaveCount(0);
});

test('on an endpoint with contexts, a fault ends the lines that were sent, and the scene speaks without it', async ({
  page,
}) => {
  await page.goto('/?endpoint=kugel-multi');
  await switchOn(page, 'going-away@2');
  await speak(page).click();
  const lost = transcript(page).getByRole('article').first();
  await expect(lost).toContainText('Connection lost');
  await expect(lost.getByRole('alert')).toContainText(/The server is restarting.*1012/);
  await badge(page).click();
  await speak(page).click();
  await expect(page.getByText('Speaking').first()).toBeVisible();
  await cancel(page).click();
  await expect(cancel(page)).toBeDisabled();
});

test('a turn of the page goes through faults and the relay to a second server', {
  tag: '@long',
}, async ({ page }) => {
  const capture = new Capture(systemClock);
  const environment = readEnvironment({ PORT: '0', VOICEWIRE_KEYS: 'second' });
  const second = await startServer(environment, { engine: createTestEngine(), capture });
  const first = await startLocalServer({ VOICEWIRE_RELAY_KUGEL: `${second.ws}/kugel` });
  await page.goto(first.http);
  await page.getByRole('tab', { name: /^Frames/ }).click();
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: /relayed/ }).click();
  await keyField(page).fill('second');
  await switchOn(page, 'stall=50@2');
  await speakThrough(page, 1, FINE);
  await expect(strikes(page).filter({ hasText: 'stall=50@2: ' })).toHaveCount(1);
  const endpoints = [...capture.connections.values()].map(({ endpoint }) => endpoint);
  expect(endpoints).toContain('kugel-stream');
  await second.stop();
  await expect(page.getByRole('button', { name: /^Connection: / })).not.toHaveAccessibleName(/Connected/);
  await first.stop();
});

test('form and text are two views of the faults, which are off after a reload and on another server', async ({
  page,
}) => {
  await page.goto('/');
  await openForm(page);
  await expect(form(page).getByRole('button', { name: 'Switch on' })).toHaveAttribute(
    'aria-disabled',
    'true',
  );
  await form(page)
    .getByRole('button', { name: /^Overloaded server/ })
    .click();
  await expect(specification(page)).toHaveValue('slow-start=2000,stall=1500@4,error=MODEL_UNAVAILABLE@3');
  await form(page).getByRole('textbox', { name: 'Value of stall 2' }).fill('9x');
  await expect(specification(page)).toHaveValue('slow-start=2000,stall=9x@4,error=MODEL_UNAVAILABLE@3');
  await expect(form(page)).toContainText('character 23: expected stall=ms@n with 1 to 3600000 ms, got "9x"');
  await specification(page).fill('reset@2');
  await expect(form(page).getByRole('textbox', { name: 'Place of reset 1' })).toHaveValue('2');
  await specification(page).fill('reset@2,stall=50@1');
  await form(page).getByRole('switch', { name: 'First connection only of reset 1' }).click();
  await form(page).getByRole('combobox', { name: 'Add a fault' }).click();
  await page.getByRole('option', { name: /^latency=ms/ }).click();
  await expect(specification(page)).toHaveValue('reset@2:first,stall=50@1,latency=500');
  await expect(form(page).getByRole('region', { name: 'Base URL' })).toContainText(
    /^Base URL for your own application.*ws:\/\/127\.0\.0\.1:\d+\/faults\/reset@2:first,stall=50@1,latency=500\/kugel$/,
  );
  await expectGoodLooks(page, 'the form', '[role="dialog"]');
  expect(await otherThemesFindings(page, '[role="dialog"]')).toEqual([]);
  await form(page).getByRole('button', { name: 'Switch on' }).click();
  await expect(badge(page)).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Add faults' })).toBeVisible();
  await expect(badge(page)).toHaveCount(0);

  await resize(page, { width: 360, height: 740 });
  await page.getByRole('tab', { name: 'Set-up' }).click();
  await openForm(page);
  await form(page)
    .getByRole('button', { name: /^Train/ })
    .click();
  await expectGoodLooks(page, 'the form at 360 px', '[role="dialog"]');
  await form(page).getByRole('button', { name: 'Switch on' }).click();
  const strip = page.getByRole('status').filter({ hasText: 'Faults are on' });
  await expect(strip).toContainText('latency=120');
  await expectGoodLooks(page, 'the strip');
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: /relayed/ }).click();
  await expect(strip).toHaveCount(0);
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: /^Local server/ }).click();
  await expect(page.getByRole('button', { name: 'Add faults' })).toBeVisible();

  await page.goto('/?endpoint=murmr');
  await page.getByRole('tab', { name: 'Set-up' }).click();
  await openForm(page);
  await specification(page).fill('lose-words');
  await expect(form(page)).toContainText(
    'It has no effect here, because the vendor sends no word timestamps.',
  );
});

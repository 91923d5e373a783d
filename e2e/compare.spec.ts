import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { freePort } from '#server/state/redis/redis-server.test-helper.ts';
import { expectGoodLooks } from './support/looks.ts';
import { expect, painted, resize, test, withStored } from './support/page.ts';
import { medianPitch } from './support/pitch.ts';
import { caughtUp, type TapWindow } from './support/tap.ts';

/** Voices whose pitches differ in every sentence. */
const MARTA = 1071;
const RUPERT = 1072;

const sideWith = (voice: number) => ({
  endpoint: 'kugel-stream',
  server: 'local',
  customBase: '',
  settings: { voice_id: voice, word_timestamps: true },
  speaker: {},
});

/** Opens the comparison of two voices. */
async function openCompare(page: Page, choices: Record<string, unknown>): Promise<void> {
  await page.addInitScript(
    (state) => {
      const name = 'voicewire.compare';
      if (localStorage.getItem(name) === null)
        localStorage.setItem(name, JSON.stringify({ state, version: 1 }));
    },
    { configurations: [sideWith(MARTA), sideWith(RUPERT)], ...choices },
  );
  await page.goto('/?mode=compare');
}

/** Median pitch of all that each context of the page has played since the last call; 0 where it was silent. */
async function pitchesHeard(page: Page): Promise<number[]> {
  await caughtUp(page);
  const heard = await page.evaluate(() => {
    const target = window as unknown as TapWindow;
    const heard = target.tapped.splice(0).filter(({ left }) => left.some((sample) => sample !== 0));
    return target.tappedContexts.map(({ sampleRate }, context) => ({
      sampleRate,
      samples: heard.filter((block) => block.context === context).flatMap(({ left }) => Array.from(left)),
    }));
  });
  return heard.map(({ sampleRate, samples }) => medianPitch(Float32Array.from(samples), sampleRate));
}

const SIDES = [
  ['1', 'X'],
  ['2', 'Y'],
] as const;

/** Plays X or Y by what `press` does, to its end. */
async function heardAs(page: Page, name: 'X' | 'Y', press: () => Promise<void>): Promise<void> {
  const begun = painted(page.locator('body'), `Stop ${name}`);
  await press();
  await begun;
  await expect(page.getByRole('button', { name: `Play ${name}` })).toBeVisible();
}

test('a tournament by keyboard alone plays two voices, shows no name before the choice, and rates three', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await withStored(page, { theme: 'light' });
  await openCompare(page, { view: 'tournament', texts: 'Good morning, everybody.' });
  const begin = page.getByRole('button', { name: 'Begin tournament' });
  await expect(page.getByRole('button', { name: /^Choose a voice, now Rupert/ })).toBeVisible();
  await expectGoodLooks(page, 'plan');
  await expect(begin).toBeInViewport({ ratio: 1 });
  for (let stop = 0; stop < 60; stop += 1) {
    await page.keyboard.press('Tab');
    if (await begin.evaluate((node) => node === document.activeElement)) break;
  }
  await expect(begin).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Round 1 of 1 is ready')).toBeVisible();
  // Spoken, and not heard.
  expect((await pitchesHeard(page)).filter((hz) => hz > 0)).toEqual([]);
  const pitches: number[] = [];
  for (const [key, name] of SIDES) {
    await heardAs(page, name, () => page.keyboard.press(key));
    const heard = (await pitchesHeard(page)).filter((hz) => hz > 0);
    expect(heard, `one voice is heard as ${name}`).toHaveLength(1);
    pitches.push(...heard);
  }
  const [x = 0, y = 0] = pitches;
  expect(Math.abs(Math.log2(x / y)), `pitches of ${x} and ${y} Hz`).toBeGreaterThan(0.25);
  // Marta's voice is the higher one.
  const xIs = x > y ? 'A' : 'B';
  expect(await page.content()).not.toMatch(/Marta|Rupert|1071|1072|kugel/);
  await expectGoodLooks(page, 'round');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'X is better' })).toBeChecked();
  await page.keyboard.press('Enter');
  const result = page.getByRole('heading', { name: `${xIs} is rated best` });
  await expect(result).toBeFocused();
  await expect(page.getByRole('row', { name: /Good morning/ })).toContainText(xIs === 'A' ? 'ABA' : 'BAB');
  await expect(
    page.getByText('After 1 round. Where intervals overlap, more rounds may change the order.'),
  ).toBeVisible();
  await expectGoodLooks(page, 'result');
  // The choice survives a visit to another page.
  await resize(page, { width: 1440, height: 900 });
  await page.getByRole('radio', { name: 'Side by side' }).click();
  await expect(page.getByRole('button', { name: 'Speak both' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Configuration A' })).toBeVisible();
  await page.getByRole('radio', { name: 'Studio' }).click();
  await page.getByRole('radio', { name: 'Compare' }).click();
  await page.getByRole('radio', { name: 'Tournament' }).click();
  await expect(result).toBeVisible();

  // Of three: each speaks the text once, and its session is heard in two rounds, also after a rest.
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
  await page.getByRole('button', { name: 'Another tournament' }).click();
  await page.getByRole('button', { name: 'Add configuration' }).click();
  await expect(page.getByRole('region', { name: 'Configuration C' })).toContainText('Differs from A');
  await page.getByRole('textbox', { name: 'Texts, one a line' }).fill('Good night.');
  await expect(page.getByText('3 turns and 33 characters in all')).toBeVisible();
  await page.getByRole('button', { name: 'Begin tournament' }).click();
  for (let round = 1; round <= 3; round += 1) {
    await expect(page.getByText(`Round ${round} of 3 is ready`)).toBeVisible();
    await pitchesHeard(page);
    for (const [key, name] of SIDES) await heardAs(page, name, () => page.keyboard.press(key));
    expect((await pitchesHeard(page)).filter((hz) => hz > 0)).toHaveLength(2);
    await page.keyboard.press(' ');
    await page.keyboard.press('Enter');
    if (round < 3) await expect(page.getByText(/^\d choices? so far\./)).toBeVisible();
  }
  expect(sent.filter((frame) => frame.includes('Good night.'))).toHaveLength(3);
  await expect(page.getByRole('table', { name: 'Ranking' }).getByRole('row')).toHaveCount(4);
  await expect(page.getByRole('table', { name: 'Rounds' }).getByRole('row')).toHaveCount(4);
  await expectGoodLooks(page, 'ranking');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save JSON' }).click();
  const file = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  expect(file).toMatchObject({ kind: 'voicewire tournament', roundsPlanned: 3 });
  expect(file.ratings).toHaveLength(3);
});

test('a tournament goes on without a configuration that fails for good, and says why at the end', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/ERR_CONNECTION_REFUSED/);
  const host = `127.0.0.1:${await freePort()}`;
  const unreachable = { ...sideWith(MARTA), server: 'custom', customBase: `ws://${host}` };
  await openCompare(page, {
    view: 'tournament',
    texts: 'Yes.',
    configurations: [sideWith(MARTA), sideWith(RUPERT), unreachable],
  });
  const leaveOut = page.getByRole('button', { name: 'Leave it out' });
  const ready = page.getByText(/^Round \d of \d is ready/);
  const result = page.getByText('C was left out, and its rounds do not count');
  const answer = async () => {
    for (const [, name] of SIDES)
      await heardAs(page, name, () => page.getByRole('button', { name: `Play ${name}` }).click());
    await page.getByRole('radio', { name: 'No difference' }).click();
    await page.getByRole('button', { name: 'Confirm choice' }).click();
  };
  await page.getByRole('button', { name: 'Begin tournament' }).click();
  // The order is drawn, and the round of the other two may come first.
  await expect(ready.or(leaveOut)).toBeVisible();
  if (await ready.isVisible()) await answer();
  await expect(leaveOut).toBeVisible();
  expect(await page.content()).not.toMatch(new RegExp(`Marta|Rupert|${host}`));
  await expectGoodLooks(page, 'a round that is stuck');
  await leaveOut.click();
  await expect(ready.or(result)).toBeVisible();
  if (await ready.isVisible()) await answer();
  await expect(result).toBeVisible();
  await expect(page.getByRole('status').filter({ has: result })).toContainText(host);
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(page.getByRole('table', { name: 'Ranking' }).getByRole('row')).toHaveCount(3);
  await expectGoodLooks(page, 'the result without one');
});

test('side by side shows figures of both and their difference in words, and survives a reload', async ({
  page,
}) => {
  await withStored(page, { theme: 'dark' });
  await openCompare(page, {
    view: 'sideBySide',
    text: 'Good morning, how are you today?',
    order: 'together',
    heard: 'apart',
  });
  await page.getByRole('button', { name: 'Speak both' }).click();
  const replay = page.getByRole('button', { name: 'Replay both' });
  await expect(replay).not.toHaveAttribute('aria-disabled', 'true');
  const wait = page.getByRole('table', { name: 'Measures of A and B' }).getByRole('row', { name: /^Wait/ });
  const [a = '', b = '', difference = '', words = ''] = await wait.getByRole('cell').allTextContents();
  const ms = (text: string) => Number(/[\d.]+/.exec(text)?.[0]) * (text.startsWith('−') ? -1 : 1);
  // Each is rounded by itself.
  expect(Math.abs(ms(b) - ms(a) - ms(difference))).toBeLessThanOrEqual(1);
  expect(words).toMatch(
    ms(difference) === 0
      ? /the same/
      : ms(difference) > 0
        ? /^A better by [\d.]+ ms/
        : /^B better by [\d.]+ ms/,
  );
  for (const side of ['A', 'B']) {
    const session = page.getByRole('region', { name: `Session of ${side}` });
    await expect(session.getByRole('region', { name: `Wait of ${side}` })).toContainText('First audio');
    await expect(session.getByRole('region', { name: `Transcript of ${side}` })).toContainText(
      'Good morning',
    );
    await expect(session.getByRole('region', { name: `Timeline lanes of ${side}` })).toBeVisible();
  }
  await expectGoodLooks(page, 'side by side');

  // A requested side is heard to its end, also after other choices and keys.
  await page
    .getByRole('radiogroup', { name: 'Heard' })
    .getByRole('radio', { name: 'B', exact: true })
    .click();
  await pitchesHeard(page);
  const playing = painted(page.locator('body'), 'Playing again');
  await page.getByRole('button', { name: 'Replay A' }).click();
  await playing;
  await page.getByRole('textbox', { name: 'Text for both' }).fill('Something else.');
  await expect
    .poll(async () => (await pitchesHeard(page)).some((hz) => hz > 0), { intervals: [200] })
    .toBe(true);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Speak both' })).toBeVisible();
  await page.getByRole('radio', { name: 'Studio' }).click();
  await expect(page.getByRole('button', { name: 'Speak', exact: true })).toBeVisible();
  expect(new URL(page.url()).search).toBe('');
  await page.goBack();
  await expect(page.getByRole('radio', { name: 'Compare' })).toBeChecked();
});

test('keeps both settings of a side that change in one event', async ({ page }) => {
  await openCompare(page, {});
  await page.getByRole('button', { name: 'Settings of A' }).click();
  const switches = page.getByRole('dialog', { name: 'Settings of A' }).getByRole('switch');
  const states = () => switches.evaluateAll((all) => all.map((one) => one.getAttribute('aria-checked')));
  await expect(switches.nth(1)).toBeVisible();
  const [first, second] = await states();
  // One task for both clicks: React renders after the second.
  await switches.evaluateAll((all) => {
    for (const one of all.slice(0, 2)) (one as HTMLElement).click();
  });
  await expect(switches.nth(1)).not.toHaveAttribute('aria-checked', second ?? '');
  await expect(switches.nth(0)).not.toHaveAttribute('aria-checked', first ?? '');
});

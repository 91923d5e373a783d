import type { Page } from '@playwright/test';
import { audioFrames, endFrames, RATE, startedFrame } from './support/frames.ts';
import {
  cancel,
  expect,
  openOn,
  resize,
  speak,
  speakText,
  test,
  textBox,
  transcript,
  turn,
} from './support/page.ts';
import { type ScriptedServer, startScriptedServer, tone } from './support/scripted-server.ts';

const MOST_NODES = 6000;
const CHUNKS = 10_000;
const CHUNK_CHARS = 1_000_000;
const TURNS = 300;

/** Speaks what the text names: chunks of a size, or many turns. */
const startHostileServer = (): Promise<ScriptedServer> => {
  let said = '';
  return startScriptedServer((_, message, say) => {
    if (typeof message.text === 'string') said = message.text;
    if (message.cancel) say({ interrupted: true });
    if (!message.flush) return;
    const sound = audioFrames(tone(RATE / 2, RATE));
    if (said.startsWith('Large')) {
      for (let id = 0; id < 20; id += 1)
        say({ ...startedFrame('word '.repeat(CHUNK_CHARS / 5)), chunk_id: id });
    } else if (said.startsWith('Many')) {
      for (let id = 0; id < CHUNKS; id += 1) say({ ...startedFrame(`Chunk ${id}.`), chunk_id: id });
    } else if (said.startsWith('Turns')) {
      for (let at = 0; at < TURNS; at += 1) {
        for (const frame of [startedFrame('a b '.repeat(500)), ...endFrames('a', 1e305)]) say(frame);
      }
    }
    if (!said.startsWith('Turns')) for (const frame of sound) say(frame);
  });
};

const nodes = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);

for (const [what, text, shown] of [
  ['of 20 MB text', 'Large.', /Cut here: 19,\d{3},\d{3} more characters/],
  ['of 10,000 chunks', 'Many.', /page \d+ of/],
] as const) {
  test(`a turn ${what} leaves few nodes on the page, and Cancel works`, async ({ page }) => {
    const server = await startHostileServer();
    await openOn(page, server.base);
    await page.getByRole('tab', { name: 'Chunks' }).click();
    await speakText(page, text);
    await expect(turn(page, 1)).toContainText(shown);
    await expect(page.getByRole('table', { name: 'Chunks' })).toHaveAttribute(
      'aria-rowcount',
      String((text === 'Many.' ? CHUNKS : 20) + 1),
    );
    await cancel(page).click();
    await expect(turn(page, 1)).toContainText('Cancelled');
    expect(await nodes(page)).toBeLessThan(MOST_NODES);
    await server.close();
  });
}

test('hundreds of turns leave few nodes, and absurd figures are not plausible', async ({ page }) => {
  const server = await startHostileServer();
  await openOn(page, server.base);
  await page.getByRole('tab', { name: 'Usage' }).click();
  await speakText(page, 'Turns.');
  const usage = page.getByRole('table', { name: 'Usage by turn' });
  await expect(usage).toHaveAttribute('aria-rowcount', String(TURNS + 1));
  await expect(turn(page, TURNS)).toBeVisible();
  await expect(usage).toContainText('not plausible');
  await expect(page.locator('body')).not.toContainText('e+30');
  await transcript(page).press('Home');
  await expect(turn(page, 1)).toBeVisible();
  expect(await nodes(page)).toBeLessThan(MOST_NODES);
  await server.close();
});

/** Answers each text with complaints that belong to no turn, the last of them three times. */
const startComplainingServer = (): Promise<ScriptedServer> =>
  startScriptedServer((_, message, say) => {
    if (message.cancel) say({ interrupted: true });
    if (typeof message.text !== 'string') return;
    for (let at = 0; at < 60; at += 1) say({ [`unknown_${at}_${'x'.repeat(at * 20)}`]: 'x'.repeat(10_000) });
    for (let times = 0; times < 3; times += 1) say({ the_last_one: true });
  });

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1440, height: 600 },
  { width: 900, height: 700 },
  { width: 360, height: 640 },
];

for (const endpoint of ['kugel-stream', 'kugel-multi'] as const) {
  test(`however many notices a server causes, a person types, speaks and cancels, ${endpoint}`, async ({
    page,
  }) => {
    const server = await startComplainingServer();
    await openOn(page, server.base, '', endpoint);
    const notices = page.getByRole('status').filter({ hasText: 'A frame of an unknown kind' });
    const newest = notices.filter({ hasText: 'the_last_one' });
    const press = async () => {
      // A click scrolls what is hidden into view, which a person cannot.
      for (const control of [textBox(page), speak(page), cancel(page)]) {
        await expect(control).toBeInViewport({ ratio: 1 });
      }
      await textBox(page).click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(endpoint === 'kugel-multi' ? 'Marta: Hello there.' : 'Hello there.');
      await speak(page).click();
      await cancel(page).click();
    };
    await press();
    await expect(notices).toHaveCount(61);
    await expect(newest).toContainText('3 times');
    for (const size of SIZES) {
      await resize(page, size);
      await press();
      await expect(newest).toBeInViewport();
    }
    await page.getByRole('button', { name: 'Dismiss all' }).click();
    await expect(notices).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Dismiss all' })).toHaveCount(0);
    await server.close();
  });
}

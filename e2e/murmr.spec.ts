import type { Page } from '@playwright/test';
import { placesHolding } from './support/canary.ts';
import { expectLitInTime, speakLit, startNotedServer } from './support/lit-words.ts';
import { expectGoodLooks, otherThemesFindings } from './support/looks.ts';
import {
  cancel,
  connection,
  expect,
  heardToEnd,
  keyField,
  openOn,
  resize,
  speak,
  speakText,
  test,
  textBox,
  turn,
  words,
  wordsBegin,
} from './support/page.ts';
import { medianPitch } from './support/pitch.ts';
import { hearWhole, peakOf, type Recording, recorded } from './support/tap.ts';

const open = (page: Page) => page.goto('/?endpoint=murmr');
const description = (page: Page) => page.getByRole('textbox', { name: 'Voice description' });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

/** Everything on the sockets of the page, in order. */
function watchSockets(page: Page) {
  const seen = { opened: 0, sent: [] as string[], received: [] as (string | Buffer)[] };
  page.on('websocket', (socket) => {
    // The page also watches the server's other clients.
    if (!socket.url().includes('/murmr/')) return;
    seen.opened += 1;
    socket.on('framesent', ({ payload }) => seen.sent.push(String(payload)));
    socket.on('framereceived', ({ payload }) => seen.received.push(payload));
  });
  return seen;
}

/** The samples of audio frames, from the first that can be found to the last. */
function samplesOf(frames: readonly Buffer[]): Float32Array {
  const bytes = Buffer.concat(frames);
  expect(bytes.length).toBeGreaterThan(10_000);
  return Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_768);
}

/** Speaks, waits for the end, and gives what was heard of it. */
async function hear(page: Page, text: string, number: number): Promise<Recording> {
  const before = number === 1 ? 0 : (await recorded(page)).samples.length;
  await speakText(page, text);
  await expect(turn(page, number)).toContainText('words measured');
  await heardToEnd(page);
  const all = await recorded(page);
  return { ...all, samples: all.samples.subarray(before) };
}

test('one press of Speak plays audio that the words are lit with, missing figures are explained, and a saved voice goes out with its prompt', async ({
  page,
  watch,
}) => {
  const server = await startNotedServer();
  const seen = watchSockets(page);
  await page.goto(`${server.http}/?endpoint=murmr`);
  await speakLit(page);
  await heardToEnd(page);
  await expectLitInTime(page, server.spoken());
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
  await tab(page, 'Chunks');
  await expect(page.getByRole('table', { name: 'Chunks' }).getByRole('row').nth(1)).toBeVisible();
  const [, first] = await page.getByRole('table', { name: 'Chunks' }).getByRole('row').allTextContents();
  expect(first).toContain('This protocol');
  await expect(page.getByRole('columnheader', { name: 'server: first' })).toBeVisible();
  await tab(page, 'Usage');
  const usage = page.getByRole('region', { name: 'Usage' });
  await expect(usage.getByRole('table', { name: 'Usage by turn' })).toContainText('not reported');
  await usage.getByRole('combobox', { name: 'Plan' }).click();
  await page.getByRole('option', { name: 'Scale' }).click();
  await expect(usage).toContainText('of 10,000,000 characters a month');

  await page.getByRole('button', { name: /^Choose a voice/ }).click();
  await page.getByRole('button', { name: /^Choose Walter,/ }).click();
  await speakText(page, 'Once upon a time.');
  await expect(turn(page, 2)).toContainText('Walter');
  await heardToEnd(page);
  const configs = seen.sent.map((text) => JSON.parse(text)).filter(({ type }) => type === 'config');
  expect(configs.at(-1)).toMatchObject({
    voice: expect.stringMatching(/^voice_/),
    voice_clone_prompt: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
  });
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);
  // A server that stops logs the calls of pages that are still open.
  await page.close();
  await server.stop();
});

test('a change of description changes the voice audibly', async ({ page }) => {
  const text = 'Every morning we are all here.';
  await open(page);
  await description(page).fill('An elderly man with a deep voice, slow');
  const low = await hear(page, text, 1);
  await description(page).fill('A bright young girl, fast');
  const high = await hear(page, text, 2);
  const pitches = [low, high].map(({ samples, sampleRate }) => medianPitch(samples, sampleRate));
  expect((pitches[1] ?? 0) / (pitches[0] ?? 1)).toBeGreaterThan(1.5);
  // Without the silence of a player that runs dry on a busy machine.
  const lengthOf = ({ samples }: Recording) => samples.filter((sample) => sample !== 0).length;
  expect(lengthOf(low)).toBeGreaterThan(1.2 * lengthOf(high));

  await page.getByRole('button', { name: 'man', exact: true }).click();
  await expect(description(page)).toHaveValue(/^Man, /);

  await tab(page, 'Usage');
  await expectGoodLooks(page, 'the whole page, wide');
  expect.soft(await otherThemesFindings(page)).toEqual([]);
  await resize(page, { width: 360, height: 900 });
  await expectGoodLooks(page, 'after a turn');
  await tab(page, 'Set-up');
  await expectGoodLooks(page, 'Set-up', '[role=tabpanel]');
});

test('audio in JSON and audio as bytes are both heard to the bit', async ({ page }) => {
  const seen = watchSockets(page);
  await open(page);
  await hear(page, 'Zeros and ones.', 1);
  const json = seen.received.flatMap((frame) => (typeof frame === 'string' ? [frame] : []));
  expect(json).toHaveLength(seen.received.length);
  await page.getByRole('switch', { name: 'Binary audio' }).click();
  await hear(page, 'Zeros and ones.', 2);
  const chunks = json.flatMap((frame) => {
    const { chunk } = JSON.parse(frame) as { chunk?: string };
    return chunk === undefined ? [] : [Buffer.from(chunk, 'base64')];
  });
  const binary = seen.received.flatMap((frame) => (typeof frame === 'string' ? [] : [frame]));
  let after = 0;
  for (const frames of [chunks, binary]) after = (await hearWhole(page, samplesOf(frames), { after })).endAt;
});

test('a barge-in silences at once and opens a new connection, whose cost is shown', async ({
  page,
  baseURL,
  watch,
}) => {
  // Of the first call, before the key is typed.
  watch.allowed.push(/401/);
  const seen = watchSockets(page);
  // Twice as fast as it plays, so that the turn is in the making for two minutes.
  await openOn(page, `${(baseURL ?? '').replace('http', 'ws')}/faults/bandwidth=1000/murmr`, '', 'murmr');
  await keyField(page).fill('local');
  await textBox(page).fill('The tide comes in, and the tide goes out again, as it always did. '.repeat(60));
  await speak(page).click();
  await wordsBegin(turn(page, 1));
  await cancel(page).click();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await expect(words(page, 'current')).toHaveCount(0);
  await expect(turn(page, 1)).toContainText(/reconnected \d+ ms/);
  expect(seen.opened).toBe(2);
  await speakText(page, 'And on we go.');
  await expect(turn(page, 2)).toContainText('Spoken');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the key is in the config message and nowhere else, and refused text is shown as unspoken', async ({
  page,
  watch,
}) => {
  // Of the catalogue, which the browser logs by itself.
  watch.allowed.push(/status of 401/);
  const key = 'murmr_sk_live_0123456789abcdef0123456789abcdef';
  const seen = watchSockets(page);
  const addresses: string[] = [];
  page.on('websocket', (socket) => addresses.push(socket.url()));
  await open(page);
  await keyField(page).fill(key);
  await speakText(page, 'Good morning.');
  const notice = turn(page, 1).getByRole('alert');
  await expect(notice).toContainText('4002');
  await expect(connection(page)).toHaveAccessibleName(/4002 AUTH_FAILED/);
  expect(seen.sent.filter((frame) => frame.includes(key))).toHaveLength(1);
  expect(seen.sent[0]).toContain(`"api_key":"${key}"`);
  expect(addresses.join()).not.toContain(key);

  // The connection stays open.
  for (const [at, { key, says }] of [
    { key: 'local-rate-limited', says: '4004' },
    { key: 'local-busy', says: '4006' },
  ].entries()) {
    await test.step(key, async () => {
      const refused = turn(page, at + 2);
      await keyField(page).fill(key);
      await speakText(page, 'Good morning.');
      const notice = refused.getByRole('alert');
      await expect(notice).toContainText('A piece of the text was not spoken');
      await expect(notice).toContainText(says);
      await expect(refused).toContainText('Failed');
      await expect(connection(page)).toHaveAccessibleName(/Connected/);
    });
  }

  await page.getByText('Config frame', { exact: true }).click();
  // Pasted with a whole config message, too, it is not kept.
  await page.getByRole('radio', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Config frame' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(`{"type":"config","api_key":"${key}","language":"German"}`);
  await expect(page.getByText(/api_key: .*field Key/).first()).toBeVisible();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText('{"language":"German"}');
  expect(await placesHolding(page, key)).toEqual([]);
  expect(watch.console.join('\n')).not.toContain(key);
});

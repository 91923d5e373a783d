import type { WebSocket } from 'ws';
import { marked } from '#player/testing/traces.ts';
import {
  audioFrames,
  endFrames,
  RATE,
  startAnsweringServer,
  startedFrame,
  turnFrames,
} from './support/frames.ts';
import { connection, expect, keyField, openOn, speak, speakText, test, turn } from './support/page.ts';
import { startPageHost } from './support/page-host.ts';
import { audioFrame, startScriptedServer, tone } from './support/scripted-server.ts';
import { floatsOf, hearWhole } from './support/tap.ts';

const REFUSED = [
  {
    key: 'local-no-credits',
    why: /Insufficient credits \(INSUFFICIENT_CREDITS, 402/,
    remedy: 'Top up the account or enter another key.',
    close: /4003 INSUFFICIENT_CREDITS/,
  },
  {
    key: 'no-such-key',
    why: /Invalid API key \(UNAUTHORIZED, 401/,
    remedy: 'Enter another key in Set-up.',
    close: /4001 UNAUTHORIZED/,
  },
];

test('an unknown charge is never 0, and a refused key shows what happened, why and what to do until it is resolved', async ({
  page,
  watch,
}) => {
  // Of the catalogue, which the browser logs by itself.
  watch.allowed.push(/status of 401/);
  await page.goto('/');
  await keyField(page).fill('local-unpriced');
  await speakText(page, 'Good morning.');
  await expect(turn(page, 1)).toContainText('Spoken');
  await expect(turn(page, 1)).toContainText('cost unknown');
  await page.getByRole('tab', { name: 'Usage' }).click();
  const usage = page.getByRole('region', { name: 'Usage' });
  await expect(usage.getByRole('row', { name: /^Turn 1/ })).toContainText('unknown');
  await expect(usage).toContainText(/cost\s*unknown/);
  await expect(page.getByRole('banner')).toContainText('cost unknown');
  await expect(page.locator('body')).not.toContainText(/€\s*0/);
  for (const [at, { key, why, remedy, close }] of REFUSED.entries()) {
    await test.step(key, async () => {
      const refused = turn(page, 2 * at + 2);
      await keyField(page).fill(key);
      await speakText(page, 'Good morning.');
      const notice = refused.getByRole('alert');
      await expect(notice).toContainText('The server reported an error');
      await expect(notice).toContainText(why);
      await expect(notice).toContainText(remedy);
      await expect(refused).toContainText('Failed');
      await expect(connection(page)).toHaveAccessibleName(close);

      await keyField(page).fill('local');
      await refused.getByRole('button', { name: 'Speak again' }).click();
      await expect(turn(page, 2 * at + 3)).toContainText('Spoken');
      await expect(notice).toBeVisible();
      await notice.getByRole('button', { name: 'Dismiss' }).click();
      await expect(notice).toHaveCount(0);
    });
  }
});

test('an address without a server fails with a message, and the text is kept', async ({ page, watch }) => {
  watch.allowed.push(/ERR_CONNECTION_REFUSED/);
  const gone = await startAnsweringServer();
  await gone.close();
  await page.goto('/');
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: /Custom address/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Custom address' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill(gone.base);
  await dialog.getByRole('button', { name: 'Use this address' }).click();
  await speakText(page, 'Is anybody there?');
  await expect(connection(page)).toHaveAccessibleName(/Failed/);
  const notice = page.getByRole('alert').filter({ hasText: 'No connection' });
  await expect(notice).toContainText(`${gone.base}/ws/tts/stream did not take the connection`);
  await expect(notice).toContainText('Check that the server runs and that its address is right');
  await expect(turn(page, 1)).toContainText('Is anybody there?');
  await expect(turn(page, 1).getByRole('button', { name: 'Speak again' })).toBeVisible();
});

test('a connection lost in mid-turn marks the turn and keeps its text, which can be spoken again', async ({
  page,
}) => {
  const sockets: WebSocket[] = [];
  const text = 'One two three four.';
  const server = await startScriptedServer(
    (socket, message, say) => {
      if (!message.flush) return;
      if (socket !== sockets[0]) for (const frame of turnFrames(text, 0.5)) say(frame);
      else for (const frame of [startedFrame(text), ...audioFrames(tone(3 * RATE, RATE))]) say(frame);
    },
    (socket) => sockets.push(socket),
  );
  await openOn(page, server.base);
  await speakText(page, text);
  // A busy machine may look when all of it was heard.
  await expect(turn(page, 1)).toContainText(/Speaking|Ran dry/);
  sockets[0]?.terminate();
  await expect(turn(page, 1)).toContainText('Connection lost');
  await expect(turn(page, 1)).toContainText(text);
  await expect(turn(page, 1).getByRole('alert')).toContainText('The connection was lost during the turn');
  await expect(turn(page, 1).getByRole('alert')).toContainText('The text is kept.');
  // By itself: nothing is pressed.
  await expect.poll(() => server.urls.length).toBe(2);
  await expect(connection(page)).toHaveAccessibleName(/Connected/);
  await turn(page, 1).getByRole('button', { name: 'Speak again' }).click();
  await expect(turn(page, 2)).toContainText(text);
  await expect(turn(page, 2)).toContainText('Spoken');
  expect(server.urls).toHaveLength(2);
  await server.close();
});

test('every broken frame is named, and the turn continues to the sample', async ({ page }) => {
  const text = 'One two three four.';
  const samples = marked(RATE, 2).map((sample) => sample >> 2);
  const bytes = Buffer.from(samples.buffer);
  const odd = (from: number, to: number, idx: number) => ({
    ...audioFrame(samples.subarray(0, 1), idx, RATE),
    audio: bytes.subarray(from, to).toString('base64'),
    samples: Math.floor((to - from) / 2),
  });
  const good = audioFrame(samples.subarray(0, 2400), 0, RATE);
  const { sr: _, ...withoutRate } = good as Record<string, unknown>;
  const server = await startScriptedServer((socket, message, say) => {
    if (!message.flush) return;
    say(startedFrame(text));
    say(good);
    say({ ...good, idx: 1, audio: '***' });
    say(withoutRate);
    say({ greeting: 'hello' });
    say('{"audio":');
    socket.send(Buffer.from([1, 2, 3]));
    // The halves of one sample in two frames.
    say(odd(4800, 7201, 1));
    say(odd(7201, 9600, 2));
    for (const frame of audioFrames(samples.subarray(4800), 3)) say(frame);
    for (const frame of endFrames(text, 1)) say(frame);
  });
  await openOn(page, server.base);
  await speakText(page, text);
  await expect(turn(page, 1)).toContainText('Spoken');
  const notices = turn(page, 1).locator('[role="alert"], [role="status"]');
  await expect(notices.filter({ hasText: 'Audio that cannot be played' })).toHaveCount(1);
  await expect(notices.filter({ hasText: 'ends in the middle of a sample' })).not.toHaveCount(0);
  const broken = notices.filter({ hasText: 'A frame that breaks the protocol' });
  await expect(broken.filter({ hasText: 'sr' })).not.toHaveCount(0);
  await expect(broken.filter({ hasText: /JSON/ })).not.toHaveCount(0);
  await expect(broken.filter({ hasText: /binary/i })).toHaveCount(1);
  const unknown = page.getByRole('status').filter({ hasText: 'A frame of an unknown kind' });
  await expect(unknown).toContainText('greeting');
  await hearWhole(page, floatsOf(samples));
  await server.close();
});

test('demo mode reports messages without a turn, and Esc closes an overlay before it leaves the mode', async ({
  page,
}) => {
  const server = await startScriptedServer((_, message, say) => {
    if (!message.flush) return;
    for (const frame of turnFrames('Good morning.', 0.5)) say(frame);
    say({ error: 'This host is going away', error_code: 'INTERNAL_ERROR', code: 500 });
  });
  await openOn(page, server.base);
  await page.getByRole('button', { name: 'Demo mode' }).click();
  await speak(page).click();
  await expect(page.getByRole('alert')).toContainText('This host is going away');
  await expect(turn(page, 1)).toContainText('Spoken');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await page.keyboard.press('?');
  await expect(keys).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Leave' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Demo mode' })).toBeVisible();
  await server.close();
});

test('a turn without a player is received in full, and the page says why nothing is heard', async ({
  page,
  baseURL,
}) => {
  let answer: () => void = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const before = (path: string) => (path.includes('mixer.worklet') ? answered : undefined);
  const host = await startPageHost(baseURL ?? '', { before });
  const server = await startAnsweringServer();
  await openOn(page, server.base, host.origin);
  await page.getByRole('tab', { name: /^Frames/ }).click();
  await speakText(page, 'Good morning.');
  await expect(turn(page, 1)).toContainText('Not heard');
  const frames = page.getByRole('treegrid', { name: 'Frames' });
  await expect(frames.getByText('turnEnded', { exact: true })).toBeVisible();
  const notice = page.getByRole('alert').filter({ hasText: 'There is no sound output' });
  await expect(notice).toContainText('The browser has not loaded the player within 5 s.');
  await expect(notice).toContainText('Reload the page.');
  answer();
  await expect(notice).toHaveCount(0);
  await speakText(page, 'Good evening.');
  await expect(turn(page, 2)).toContainText('Spoken');
  await host.close();
  await server.close();
});

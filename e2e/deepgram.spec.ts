import { expectLitInTime, LIT_TEXT, speakLit, startNotedServer } from './support/lit-words.ts';
import {
  cancel,
  expect,
  heardToEnd,
  keyField,
  speak,
  speakText,
  test,
  transcript,
  turn,
  withStored,
  words,
  wordsBegin,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

const REST = 'and on and on and on '.repeat(8);

test('one press of Speak is heard as its words are lit, Clear cuts a turn off, and a refused key is explained', async ({
  page,
  watch,
}) => {
  const urls: string[] = [];
  const sent: unknown[] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/deepgram/')) return;
    urls.push(socket.url());
    socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload))));
  });
  const server = await startNotedServer();
  await page.goto(`${server.http}/?endpoint=deepgram`);
  await expect(page.getByRole('button', { name: /^Choose a voice, now Marta/ })).toBeVisible();
  await speakLit(page);
  await heardToEnd(page);
  await expectLitInTime(page, server.spoken());
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
  expect(sent).toEqual([{ type: 'Speak', text: LIT_TEXT }, { type: 'Flush' }]);
  expect(urls).toEqual([
    expect.stringMatching(/\/v1\/speak\?model=aura-2-thalia-en&encoding=linear16&sample_rate=24000$/),
  ]);

  // Enough text for the server to be in it still.
  await speakText(page, `One two three ${REST.repeat(10)}.`);
  await wordsBegin(turn(page, 2));
  await cancel(page).click();
  await expect(turn(page, 2)).toContainText('Cancelled');
  await speakText(page, 'Again.');
  await expect(words(page, 'spoken').filter({ hasText: 'Again' })).toBeVisible();
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);

  await keyField(page).fill('no-such-key');
  await speakText(page, 'Refused.');
  await expect(page.getByText(/Check that the server runs, and the key/).first()).toBeVisible();
  // A server that stops logs the calls of pages that are still open.
  await page.close();
  await server.stop();
});

test('an interrupted turn shows what the server says was heard beside our own clock', async ({ page }) => {
  await withStored(page, {
    source: 'simulated',
    simulation: { preset: '', tokensPerSecond: 6, jitter: 0.3, seed: 7 },
  });
  await page.goto('/?endpoint=deepgram-flux');
  await speakText(page, `You will hear the first words of this. Then somebody asks, ${REST}.`);
  await expect(words(page, 'spoken').nth(4)).toBeVisible();
  await cancel(page).click();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await expect(transcript(page)).toContainText(/server.*You will hear/);
  await expect(transcript(page)).toContainText('our clock');
  await page.getByRole('tab', { name: 'Usage' }).click();
  await expect(page.getByRole('region', { name: 'Usage' })).toContainText('not reported');
  await speak(page).click();
  await expect(turn(page, 2)).toContainText('You will hear');
});

import type { Page } from '@playwright/test';
import {
  cancel,
  expect,
  heardToEnd,
  keyField,
  LONG_TEXT,
  speak,
  speakText,
  test,
  transcript,
  turn,
  watchWords,
  withStored,
  words,
  wordsBegin,
  writeScript,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

/** The sockets of the page to this vendor in the order of their opening, with the messages that went out. */
function watchSockets(page: Page) {
  const sockets: { url: URL; sent: Record<string, unknown>[] }[] = [];
  page.on('websocket', (socket) => {
    const url = new URL(socket.url());
    if (!url.pathname.startsWith('/elevenlabs/')) return;
    const sent: Record<string, unknown>[] = [];
    sockets.push({ url, sent });
    socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload))));
  });
  return sockets;
}

const MP3 = { voice_id: 'EXAVITQu4vr4xnSDxMaL', output_format: 'mp3_44100_128', inactivity_timeout: 180 };

test('one press of Speak is heard with timed words, and each turn has a connection that was opened ahead', async ({
  page,
  watch,
}) => {
  const sockets = watchSockets(page);
  await page.goto('/?endpoint=elevenlabs-stream');
  await expect(page.getByRole('button', { name: /^Choose a voice, now Sarah/ })).toBeVisible();
  await speakText(page, 'Good morning. The trains to the coast are late.');
  await heardToEnd(page);
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
  await expect(turn(page, 1)).not.toContainText(/words (estimated|measured)/);
  await expect.poll(() => sockets.length).toBe(2);
  await speakText(page, 'The second one.');
  await expect(turn(page, 2)).toContainText('The second one.');
  await heardToEnd(page);
  const [first, second] = sockets;
  expect(first?.sent.at(-1)).toEqual({ text: '' });
  expect(first?.sent.filter((message) => 'xi_api_key' in message)).toEqual([
    { text: ' ', xi_api_key: 'local' },
  ]);
  expect(second?.sent.map(({ text }) => text)).toEqual([' ', 'The second one.', '']);
  expect(second?.url.searchParams.get('output_format')).toBe('pcm_24000');
  await page.getByRole('tab', { name: 'Usage' }).click();
  await expect(page.getByRole('region', { name: 'Usage' })).toContainText('not reported');
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);
});

test('a scene speaks on a connection for each voice, and a barge-in closes its contexts', async ({
  page,
}) => {
  const sockets = watchSockets(page);
  await page.goto('/?endpoint=elevenlabs-multi');
  await expect(page.getByText('Each voice takes a connection of its own')).toBeVisible();
  await writeScript(page, 'Marta: Hello there.\nRupert: Good morning to all of you.\nMarta: Is it?');
  const noted = await watchWords(page);
  await speak(page).click();
  await heardToEnd(page);
  const { most, speakers } = await noted();
  expect([most, new Set(speakers).size]).toEqual([1, 2]);
  expect(new Set(sockets.map(({ url }) => url.pathname)).size).toBe(2);
  const ids = sockets.flatMap(({ sent }) => sent.filter((message) => 'close_context' in message));
  expect(ids).toHaveLength(3);

  await writeScript(page, `Marta: ${LONG_TEXT}`);
  await speak(page).click();
  await wordsBegin(transcript(page).getByRole('article').last());
  await cancel(page).click();
  await expect(transcript(page).getByText('Cancelled')).toBeVisible();
  // The server still speaks the cancelled text.
  await writeScript(page, 'Marta: Again.');
  await speak(page).click();
  await expect(words(page, 'spoken').filter({ hasText: 'Again.' })).toBeVisible();
});

test('MP3 is heard, and a turn without credits says why it is silent', async ({ page }) => {
  await withStored(page, { settings: { 'elevenlabs-stream': MP3 } });
  await page.goto('/?endpoint=elevenlabs-stream');
  await speakText(page, 'Good morning from a compressed stream.');
  await heardToEnd(page);
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
  await expect(turn(page, 1)).not.toContainText(/words (estimated|measured)/);

  await page.goto('/?endpoint=elevenlabs-multi');
  await keyField(page).fill('local-no-credits');
  await speak(page).click();
  await expect(page.getByText('without any audio').first()).toBeVisible();
});

import {
  cancel,
  expect,
  heardToEnd,
  LONG_TEXT,
  speak,
  test,
  transcript,
  watchWords,
  words,
  wordsBegin,
  writeScript,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

test('a scene speaks with timed words on one connection, and a barge-in cancels its context', async ({
  page,
  watch,
}) => {
  const sockets: Record<string, unknown>[][] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/cartesia/')) return;
    expect(socket.url()).toContain('cartesia_version=2026-08-14');
    const sent: Record<string, unknown>[] = [];
    sockets.push(sent);
    socket.on('framesent', ({ payload }) => sent.push(JSON.parse(String(payload))));
  });
  await page.goto('/?endpoint=cartesia');
  await writeScript(page, 'Marta: Hello there.\nRupert: Good morning to all of you.\nMarta: Is it?');
  const noted = await watchWords(page);
  await speak(page).click();
  await heardToEnd(page);
  const { most, speakers } = await noted();
  expect([most, new Set(speakers).size]).toEqual([1, 2]);
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
  await expect(transcript(page)).not.toContainText(/words (estimated|measured)/);
  expect(sockets).toHaveLength(1);
  expect(new Set(sockets[0]?.map(({ context_id }) => context_id))).toEqual(
    new Set(['marta', 'rupert', 'marta~2']),
  );
  await expect(page.getByRole('button', { name: 'Open all contexts' })).toHaveCount(0);

  await writeScript(page, `Marta: ${LONG_TEXT}`);
  await speak(page).click();
  await wordsBegin(transcript(page).getByRole('article').last());
  await cancel(page).click();
  await expect(transcript(page).getByText('Cancelled')).toBeVisible();
  await writeScript(page, 'Marta: Again.');
  await speak(page).click();
  await expect(words(page, 'spoken').filter({ hasText: 'Again.' })).toBeVisible();
  expect([...watch.hosts]).toEqual([new URL(page.url()).host]);
});

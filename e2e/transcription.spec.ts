import { wavData } from '#lib/wav.ts';
import { heardReply, startTranscriptionServer } from '#text/testing/transcription-server.ts';
import { placesHolding } from './support/canary.ts';
import { axeFindings, overEdge } from './support/looks.ts';
import {
  expect,
  heardToEnd,
  painted,
  resize,
  speakText,
  test,
  transcript,
  turn,
  withStored,
} from './support/page.ts';

const KEY = 'sk-canary/42+Qx7"vK9';
const TEXT = 'The quick brown fox has 22 cats.';

test('the words of a turn are checked, and a missing one is shown and played at its place', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/Failed to load resource/);
  const server = await startTranscriptionServer(
    heardReply({ text: 'The quick fox has twenty two <b>bats</b>', language: 'english' }),
  );
  await withStored(page, { settings: { 'kugel-stream': { voice_id: 1071, word_timestamps: true } } });
  await page.goto('/');
  await speakText(page, TEXT);
  await heardToEnd(page);
  await turn(page, 1).getByRole('button', { name: 'Check the words' }).click();
  const dialog = page.getByRole('dialog', { name: 'Check what was spoken' });
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(server.base);
  await dialog.getByRole('button', { name: 'List models' }).click();
  await dialog.getByRole('combobox', { name: 'Models of the server' }).click();
  await page.getByRole('option', { name: 'scripted' }).click();
  await dialog.getByRole('textbox', { name: 'Key' }).fill(KEY);
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();

  const heard = turn(page, 1).getByRole('list', { name: 'Words heard differently' });
  // Eight words, as 22 counts as two. Tags are no words.
  await expect(heard.getByRole('listitem')).toHaveCount(2);
  await expect(turn(page, 1)).toContainText(/WER 25\.0 %\s*missing\s*brown\s*wrong\s*cats\s*heard\s*bats/);
  await expect(heard.locator('b')).toHaveCount(0);
  const brown = turn(page, 1).locator('[data-word]', { hasText: 'brown' });
  const replaying = painted(turn(page, 1), 'Replaying');
  await heard.getByRole('button', { name: /missing\s*brown/ }).click();
  await expect(brown).toHaveAttribute('data-selected', 'true');
  await replaying;
  await expect(turn(page, 1)).not.toContainText('Replaying');

  server.reply = heardReply({ text: 'Good morning.' });
  await speakText(page, 'Good morning.');
  await turn(page, 2).getByRole('button', { name: 'Check the words' }).click();
  await expect(turn(page, 2)).toContainText(/WER 0\.0 %\s*every word was heard/);
  await resize(page, { width: 360, height: 780 });
  expect(await overEdge(page)).toEqual([]);
  expect(await axeFindings(page)).toEqual([]);
  await expect(transcript(page).getByRole('button', { name: 'Check again' })).toHaveCount(2);

  expect(server.requests).toHaveLength(2);
  expect(server.mostOpen).toBe(1);
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${KEY}`,
    `Bearer ${KEY}`,
  ]);
  const sound = wavData(server.requests[0]?.file.bytes ?? new Uint8Array());
  expect('data' in sound && sound.data.length).toBeGreaterThan(24_000);
  expect(await placesHolding(page, KEY)).toEqual([]);
  await server.close();

  await speakText(page, 'Good night.');
  await turn(page, 3).getByRole('button', { name: 'Check the words' }).click();
  await expect(turn(page, 3)).toContainText('The transcription server cannot be reached');
});

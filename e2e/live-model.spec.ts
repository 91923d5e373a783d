import type { Page } from '@playwright/test';
import {
  type ChatServer,
  chatChunk,
  chatEvent,
  openStream,
  startChatServer,
  tokensReply,
} from '#text/testing/chat-server.ts';
import { placesHolding } from './support/canary.ts';
import { axeFindings, overEdge } from './support/looks.ts';
import {
  cancel,
  expect,
  heardToEnd,
  test,
  textBox,
  transcript,
  turn,
  withStored,
  words,
} from './support/page.ts';

const KEY = 'sk-canary/42+Qx7"vK9';
const ANSWER =
  'Once upon a time there was a miller who had three sons, a mill, a donkey and a cat, and when he died they shared all that he had.';

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const composer = (page: Page) => page.getByRole('region', { name: 'Composer' });

const chosen = ({ base }: Pick<ChatServer, 'base'>) => ({
  source: 'live',
  liveModel: { base, model: 'scripted', systemPrompt: 'Be brief.' },
  settings: { 'kugel-stream': { voice_id: 1071, word_timestamps: true } },
});

async function askText(page: Page, text: string): Promise<void> {
  await textBox(page).fill(text);
  await page.keyboard.press('Enter');
}

test('a question is answered aloud and cut off, and the next one carries what was heard', async ({
  page,
}) => {
  // The answer never ends by itself.
  const chat = await startChatServer((to) => {
    openStream(to);
    for (const word of ANSWER.split(/(?<= )/)) to.write(chatEvent(chatChunk(word)));
  });
  await withStored(page, { settings: chosen(chat).settings });
  await page.goto('/');
  await page.getByRole('radio', { name: 'Live model' }).click();
  await expect(composer(page)).toContainText('No model is chosen yet');
  await expect(page.getByRole('button', { name: 'Ask', exact: true })).toBeDisabled();
  await page.getByRole('button', { name: 'Model', exact: true }).click();
  const model = dialog(page, 'Live model');
  await model.getByRole('textbox', { name: 'Base URL' }).fill(chat.base);
  await model.getByRole('textbox', { name: 'Model' }).fill('scripted');
  await model.getByRole('textbox', { name: 'Key' }).fill(KEY);
  await model.getByRole('textbox', { name: 'System prompt' }).fill('Be brief.');
  await model.getByRole('button', { name: 'Done' }).click();

  await askText(page, 'Tell me a story.');
  await expect(textBox(page)).toHaveValue('');
  await expect(turn(page, 1)).toContainText('Tell me a story.');
  await expect.poll(() => words(page, 'spoken').count()).toBeGreaterThan(3);
  await cancel(page).click();
  await expect.poll(() => chat.aborted).toBe(1);
  await expect(turn(page, 1)).toContainText(/first token \d.*heard \d+ of \d+ characters, \d+ discarded/);

  const spoken = await words(page, 'spoken').count();
  chat.reply = tokensReply('The cat ', 'got boots.');
  await askText(page, 'And then?');
  await expect(turn(page, 2)).toContainText('The cat got boots.');
  await expect(turn(page, 2).locator('[data-word][data-state="spoken"]')).toHaveCount(4);
  await page.getByRole('button', { name: 'History, 4 messages' }).click();
  const heard = await dialog(page, 'History').getByRole('textbox', { name: 'Message 2, Model' }).inputValue();
  await dialog(page, 'History').getByRole('button', { name: 'Done' }).click();
  expect(ANSWER.startsWith(heard)).toBe(true);
  // A word that was cut off is lit, and was not heard whole.
  expect(spoken - heard.split(' ').length).toBeGreaterThanOrEqual(0);
  expect(spoken - heard.split(' ').length).toBeLessThanOrEqual(1);
  expect(chat.requests.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
  expect(chat.requests[1]?.body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Tell me a story.' },
    { role: 'assistant', content: heard },
    { role: 'user', content: 'And then?' },
  ]);

  await page.getByRole('tab', { name: 'Timeline' }).click();
  const wait = page.getByRole('region', { name: 'Wait' });
  await expect(wait).toContainText(/from the question.*Model\s*\d/);
  await page.getByRole('tab', { name: 'Frames' }).click();
  await page.getByRole('radio', { name: 'Player' }).click();
  const frames = page.getByRole('treegrid', { name: 'Frames' });
  await expect(frames).toContainText('a turn begins, its text as a live model answers: And then?');
  expect(await placesHolding(page, KEY)).toEqual([]);
  await chat.close();
});

test('a model server that fails says what to do beside the composer, and what it said before is spoken', async ({
  page,
  watch,
}) => {
  watch.allowed.push(/Failed to load resource/);
  const chat = await startChatServer(tokensReply('Never.'));
  await withStored(page, chosen(chat));
  await page.goto('/');
  const failures = [
    [
      404,
      'application/json',
      '{"error":{"message":"model not found"}}',
      /404: model not found.*Check the name of the model/,
    ],
    [429, 'text/plain', 'Slow down', /429: Slow down.*Ask again in 7 s/],
    [200, 'text/html', '<html></html>', /text\/html.*Check the base URL/],
  ] as const;
  for (const [status, type, body, expected] of failures) {
    chat.reply = (to) => {
      to.writeHead(status, { 'Content-Type': type, 'Retry-After': '7' });
      to.end(body);
    };
    await askText(page, `What about ${status}?`);
    const notice = page.getByRole('alert').filter({ hasText: expected });
    await expect(notice).toBeVisible();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
  }
  let breakOff = (): void => {};
  chat.reply = (to) => {
    openStream(to);
    to.write(chatEvent(chatChunk('Good morning')));
    breakOff = () => to.destroy();
  };
  await askText(page, 'Broken?');
  await expect(turn(page, failures.length + 1)).toContainText('Good morning');
  breakOff();
  await expect(page.getByRole('alert')).toContainText('The answer of the model broke off');
  await heardToEnd(page);
  await chat.close();
  await askText(page, 'Gone?');
  await expect(page.getByRole('alert').filter({ hasText: 'cannot be reached' })).toContainText('CORS');
});

test('in a scene the chosen speaker answers, and the set-up is in reach on a phone', async ({ page }) => {
  const chat = await startChatServer(tokensReply('Good ', 'evening.'));
  await withStored(page, { ...chosen(chat), theme: 'light' });
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto('/?endpoint=kugel-multi');
  const speaker = page.getByRole('combobox', { name: 'Speaker of the answers' });
  await speaker.click();
  const second = page.getByRole('option').nth(1);
  const name = (await second.textContent()) ?? '';
  await second.click();
  await askText(page, 'Hello?');
  await expect(transcript(page).getByRole('article', { name: `Turn 1, ${name}` })).toContainText(
    'Good evening.',
  );
  await heardToEnd(page);
  expect(await overEdge(page)).toEqual([]);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: /^Model, now scripted/ }).click();
  await expect(dialog(page, 'Live model')).toBeVisible();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'History, 2 messages' }).click();
  await dialog(page, 'History').getByRole('textbox', { name: 'Message 2, Model' }).fill('Good night.');
  expect(await axeFindings(page)).toEqual([]);
  await dialog(page, 'History').getByRole('button', { name: 'Done' }).click();
  await askText(page, 'And now?');
  await expect.poll(() => chat.requests[1]?.body.messages[2]?.content).toBe('Good night.');
  await page.getByRole('button', { name: 'History, 4 messages' }).click();
  await dialog(page, 'History').getByRole('button', { name: 'Clear' }).click();
  await expect(dialog(page, 'History')).toContainText('Ask something first');
  await chat.close();
});

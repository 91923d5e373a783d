import type { Page } from '@playwright/test';
import {
  audioFrames,
  endFrames,
  RATE,
  startAnsweringServer,
  startedFrame,
  textsOf,
  turnFrames,
  turnSamples,
  wordsFrame,
} from './support/frames.ts';
import {
  cancel,
  connection,
  expect,
  heardToEnd,
  openOn,
  speak,
  speakText,
  test,
  textBox,
  transcript,
  turn,
  watchWords,
  withStored,
  words,
  wordsBegin,
} from './support/page.ts';
import { type ScriptedServer, startScriptedServer, tone } from './support/scripted-server.ts';
import { floatsOf, hearWhole, peakOf, recorded } from './support/tap.ts';

test('several turns use one connection, are sent before the first answer, and are heard in order', async ({
  page,
}) => {
  const answers: (() => void)[] = [];
  let said = '';
  const server = await startScriptedServer((_, message, say) => {
    if (typeof message.text === 'string') said = message.text;
    if (!message.flush) return;
    const text = said;
    answers.push(() => {
      for (const frame of turnFrames(text, 0.4)) say(frame);
    });
  });
  await openOn(page, server.base);
  const texts = ['The first turn.', 'The second turn.', 'The third turn.'];
  for (const text of texts) await speakText(page, text);
  await expect.poll(() => answers.length).toBe(3);
  expect(textsOf(server)).toEqual(texts);
  for (const answer of answers) answer();
  for (const number of [1, 2, 3]) {
    await expect(turn(page, number)).toContainText(texts[number - 1] ?? '');
    await expect(turn(page, number).locator('[data-word]')).toHaveCount(3);
    await expect(turn(page, number).locator('[data-word][data-state="spoken"]')).toHaveCount(3);
  }
  expect(server.urls).toHaveLength(1);
  // The settings hold for the connection, so they are sent once.
  expect(server.received.filter((message) => 'voice_id' in message)).toHaveLength(1);
  await expect(connection(page)).toHaveAccessibleName(/Connected/);
  await server.close();
});

test('audio after a cancel is counted as late and never heard', async ({ page }) => {
  // Another amplitude, so that one sample of it would be found anywhere.
  const late = tone(RATE / 2, RATE).map((sample) => sample + 12_345);
  const next = turnSamples(0.5);
  let said = '';
  const server = await startScriptedServer((_, message, say) => {
    if (typeof message.text === 'string') said = message.text;
    if (message.flush && said.startsWith('Never')) {
      for (const frame of [startedFrame(said), ...audioFrames(tone(2 * RATE, RATE))]) say(frame);
    } else if (message.flush) {
      for (const frame of turnFrames(said, 0.5)) say(frame);
    }
    if (!message.cancel) return;
    for (const frame of audioFrames(late, 20)) say(frame);
    say({ interrupted: true });
  });
  await openOn(page, server.base);
  await speakText(page, 'Never mind all of this.');
  // A busy machine may look when all of it was heard.
  await expect(turn(page, 1)).toContainText(/Speaking|Ran dry/);
  await page.keyboard.press('Escape');
  await expect(turn(page, 1)).toContainText('Cancelled');
  await expect(turn(page, 1)).toContainText('5 late frames');
  // Behind the ramp and one sample of silence.
  const silentFrom = (await recorded(page)).samples.findLastIndex((sample) => sample !== 0) + 2;
  await speakText(page, 'This instead.');
  await expect(turn(page, 2)).toContainText('Spoken');
  await hearWhole(page, floatsOf(next), { after: silentFrom });
  const { samples } = await recorded(page);
  const loudest = Math.max(...tone(RATE, RATE)) / 32_768;
  expect(peakOf(samples)).toBeGreaterThan(0.1);
  expect(peakOf(samples)).toBeLessThanOrEqual(loudest);
  await server.close();
});

test('while typing, each finished word is sent, and Enter flushes', async ({ page }) => {
  const server = await startAnsweringServer();
  await openOn(page, server.base);
  await page.getByRole('switch', { name: 'Send while typing' }).click();
  await textBox(page).focus();
  // A word at once: after a pause its letters would be sent without the space.
  for (const word of ['Hello ', 'dear ']) await page.keyboard.insertText(word);
  await expect.poll(() => textsOf(server).join('')).toBe('Hello dear ');
  await expect(textBox(page)).toHaveValue('');
  await expect(turn(page, 1)).toContainText('Hello dear');
  expect(server.received.some((message) => message.flush)).toBe(false);
  await textBox(page).pressSequentially('friend');
  await textBox(page).press('Enter');
  await expect.poll(() => server.received.at(-1)).toEqual({ flush: true });
  expect(textsOf(server).join('')).toBe('Hello dear friend');
  await expect(turn(page, 1)).toContainText('Spoken');
  await expect(textBox(page)).toHaveValue('');
  await server.close();
});

/** The page with a simulated model chosen. */
async function openSimulated(page: Page, server: ScriptedServer, preset: string): Promise<void> {
  await withStored(page, {
    servers: { 'kugel-stream': 'custom' },
    customBases: { 'kugel-stream': server.base },
    source: 'simulated',
    simulation: { preset, tokensPerSecond: null, jitter: null, seed: 42 },
  });
  await page.goto('/');
}

test('tokens appear as they are sent, and Cancel stops the simulated model', async ({ page }) => {
  const server = await startAnsweringServer();
  await openSimulated(page, server, 'words');
  // Tokens of a minute, so that Cancel comes before the last one.
  await textBox(page).fill(
    'One two three four five six seven eight nine ten eleven twelve thirteen. '.repeat(20),
  );
  await speak(page).click();
  const tokens = page.getByRole('region', { name: 'Tokens sent' });
  await expect(tokens).toBeVisible();
  await expect.poll(() => textsOf(server).length).toBeGreaterThan(2);
  await expect(turn(page, 1)).toContainText('One two');
  await expect(page.getByText(/\d+ of \d+ tokens sent/)).toBeVisible();
  await cancel(page).click();
  await expect(page.getByText(/\d+ of \d+ tokens sent, then stopped/)).toBeVisible();
  await expect(turn(page, 1)).toContainText('Cancelled');
  await expect.poll(() => server.received.at(-1)).toEqual({ cancel: true });
  const stoppedAt = server.received.length;
  // The next turn follows the cancel at once: no token of the stopped one comes between.
  await page.getByRole('radio', { name: 'Type' }).click();
  await speakText(page, 'Something else.');
  await expect(turn(page, 2)).toContainText('Spoken');
  expect(server.received.slice(stoppedAt)).toEqual([{ text: 'Something else.' }, { flush: true }]);
  await server.close();
});

test('a click on a word of a finished turn plays from there', async ({ page }) => {
  await page.goto('/');
  await speakText(page, 'One two three four five six seven.');
  await heardToEnd(page);
  const before = (await recorded(page)).samples.length;
  const lit = await watchWords(page);
  await turn(page, 1).getByRole('link', { name: 'four' }).click();
  await expect.poll(async () => (await lit()).words.length).toBeGreaterThan(1);
  await heardToEnd(page);
  const rest = ['four', 'five', 'six', 'seven'];
  const { words: seen } = await lit();
  expect(seen).toEqual(rest.filter((word) => seen.includes(word)));
  expect(peakOf((await recorded(page)).samples.subarray(before))).toBeGreaterThan(0.1);
});

test('words light by estimates until late timings come', async ({ page }) => {
  const text = 'One two three four five six.';
  let sendWords = (): void => {};
  const server = await startScriptedServer((_, message, say) => {
    if (!message.flush) return;
    for (const frame of [startedFrame(text), ...audioFrames(tone(4 * RATE, RATE)), ...endFrames(text, 4)]) {
      say(frame);
    }
    sendWords = () => say(wordsFrame(text, 4));
  });
  await openOn(page, server.base);
  await speakText(page, text);
  await wordsBegin(turn(page, 1));
  await expect(transcript(page)).toContainText(/words (estimated|measured)/);
  sendWords();
  await expect(transcript(page)).not.toContainText(/words (estimated|measured)/);
  await heardToEnd(page);
  await expect(words(page, 'spoken')).toHaveCount(6);
  await server.close();
});

test('a turn that the server ends as idle shows the warning, and later text is another turn', async ({
  page,
}) => {
  const server = await startScriptedServer((_, message, say) => {
    if (message.text !== 'Hello ') return;
    say({ warning: 'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly.' });
    for (const frame of turnFrames('Hello', 0.4)) say(frame);
  });
  await openOn(page, server.base);
  await page.getByRole('switch', { name: 'Send while typing' }).click();
  // A word at once: after a pause its letters would be sent without the space.
  await textBox(page).focus();
  await page.keyboard.insertText('Hello ');
  const notice = turn(page, 1).getByRole('status').filter({ hasText: 'The server ended the turn by itself' });
  await expect(notice).toContainText('Turn ended after 5s of inactivity');
  await expect(turn(page, 1)).toContainText('Spoken');
  await textBox(page).focus();
  await page.keyboard.insertText('Again ');
  await expect(turn(page, 2)).toContainText('Again');
  await server.close();
});

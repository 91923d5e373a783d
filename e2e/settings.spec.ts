import type { Page } from '@playwright/test';
import { placesHolding } from './support/canary.ts';
import { startAnsweringServer } from './support/frames.ts';
import {
  cancel,
  expect,
  heardToEnd,
  keyField,
  LONG_TEXT,
  openOn,
  painted,
  resize,
  speak,
  speakText,
  test,
  textBox,
  turn,
  wordsBegin,
} from './support/page.ts';
import { peakOf, recorded } from './support/tap.ts';

const editor = (page: Page) => page.getByRole('textbox', { name: 'Config frame' });
const setUp = (page: Page) => page.getByRole('region', { name: 'Set-up' });
const row = (page: Page, field: string) => page.locator(`[data-field="${field}"]`);
const showJson = (page: Page) => page.getByRole('radio', { name: 'JSON' }).click();
const showForm = (page: Page) => page.getByRole('radio', { name: 'Form' }).click();

/** Replaces all of the JSON. */
async function typeJson(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** The JSON of the editor; null for anything else, as before it is filled. */
async function jsonOf(page: Page): Promise<unknown> {
  const text = (await editor(page).locator('.cm-line').allInnerTexts()).join('\n');
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

test('Form and JSON are two views of one state; invalid values are marked in both and disable Speak until they are corrected', async ({
  page,
}) => {
  await page.goto('/');
  const speed = row(page, 'speed').getByRole('textbox', { name: 'Speed' });
  await speed.fill('1.1');
  await speed.press('Enter');
  await showJson(page);
  await expect.poll(() => jsonOf(page)).toMatchObject({ voice_id: 1071, speed: 1.1 });
  await expect(page.locator('.cm-name').getByText('"speed"', { exact: true })).toBeVisible();
  await expect(page.locator('.cm-punctuation')).not.toHaveCount(0);
  await typeJson(page, '{"voice_id": 1072, "temperature": 0.7}');
  await showForm(page);
  await expect(row(page, 'temperature').getByRole('textbox', { name: 'Temperature' })).toHaveValue('0.70');
  await expect(page.getByRole('button', { name: 'Choose a voice, now Rupert' })).toBeVisible();
  await expect(row(page, 'speed')).toContainText('not sent');
  await expect(setUp(page)).toContainText(/2 of \d+ settings sent/);

  await showJson(page);
  await typeJson(page, '{\n  "voice_id": 1071,\n  "speed": 3\n}');
  await expect(setUp(page)).toContainText('Line 3: speed: expected a number from 0.8 to 1.2, got 3');
  await expect(speak(page)).toBeDisabled();
  await speak(page).hover({ force: true });
  await expect(page.getByText('Set-up holds a value that the server would refuse: speed.')).toBeVisible();
  await expect(page.locator('.cm-lintRange-error')).toHaveText('3');
  await showForm(page);
  await expect(speed).toHaveAttribute('aria-invalid', 'true');
  await expect(row(page, 'speed')).toContainText(/0\.8/);
  await expect(setUp(page)).toContainText('1 invalid');
  await speed.fill('1.2');
  await speed.press('Enter');
  await expect(speed).not.toHaveAttribute('aria-invalid', 'true');
  await showJson(page);
  await expect(setUp(page)).toContainText('Valid.');
  await expect(speak(page)).toBeEnabled();
  await expect(page.locator('.cm-lintRange-error')).toHaveCount(0);
  await typeJson(page, '{"voice_id": ');
  await expect(setUp(page)).toContainText('JSON unreadable');
  await showForm(page);
  await expect(setUp(page)).toContainText('The JSON cannot be read');
});

test('the shown config frame is the one that the server receives, and a key is only in its field and in the address of the socket', async ({
  page,
  watch,
}) => {
  const server = await startAnsweringServer();
  await openOn(page, server.base);
  await showJson(page);
  const config = { voice_id: 'marta', word_timestamps: true, speed: 0.9, a_later_field: [1, 2] };
  await typeJson(page, JSON.stringify(config, null, 2));
  await showForm(page);
  const preview = setUp(page).getByRole('group').filter({ hasText: 'Config frame' });
  await preview.getByText('Config frame').click();
  const shown = await preview.locator('pre').textContent();
  await speakText(page, 'Hello.');
  await expect(turn(page, 1)).toContainText('Spoken');
  expect(server.received[0]).toEqual(config);
  expect(JSON.stringify(server.received[0])).toBe(shown);
  expect(server.received.slice(1)).toEqual([{ text: 'Hello.' }, { flush: true }]);

  const canary = 'canary-7f3a91c2';
  await keyField(page).fill(canary);
  await speakText(page, 'Hello.');
  await expect(turn(page, 2)).toContainText('Spoken');
  expect(server.urls.filter((url) => url.includes(canary))).toEqual([`/ws/tts/stream?api_key=${canary}`]);
  // Every place that shows something about the connection.
  await page.getByRole('button', { name: /^Connection: / }).click();
  await expect(page.getByText(`${server.base}/ws/tts/stream`)).toBeVisible();
  await page.keyboard.press('Escape');
  await showJson(page);
  await expect(editor(page)).toBeVisible();
  expect(await placesHolding(page, canary)).toEqual([]);
  expect(watch.console.join('\n')).not.toContain(canary);
  await server.close();
});

test('a reload keeps settings, theme and text; it keeps the key in that tab alone, once that is switched on', async ({
  page,
  context,
}) => {
  await page.goto('/');
  await keyField(page).fill('local-limited');
  await textBox(page).fill('Kept over a reload.');
  const speed = row(page, 'speed').getByRole('textbox', { name: 'Speed' });
  await speed.fill('0.9');
  await speed.press('Enter');
  await page.getByRole('button', { name: 'Theme: system. Change to light' }).click();
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await showJson(page);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(textBox(page)).toHaveValue('Kept over a reload.');
  await expect(keyField(page)).toHaveValue('local');
  await expect.poll(() => jsonOf(page)).toMatchObject({ speed: 0.9 });

  await keyField(page).fill('local-limited');
  const remember = page.getByRole('switch', { name: 'Remember in this tab' });
  await remember.click();
  await page.reload();
  await expect(keyField(page)).toHaveValue('local-limited');
  await expect(remember).toBeChecked();
  const otherTab = await context.newPage();
  await otherTab.goto('/');
  await expect(keyField(otherTab)).toHaveValue('local');
  await otherTab.close();
  await remember.click();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('local-limited');
  await page.reload();
  await expect(keyField(page)).toHaveValue('local');

  // Another layout shows the same view.
  await resize(page, { width: 390, height: 844 });
  await page.getByRole('tab', { name: 'Set-up' }).click();
  await expect(editor(page)).toBeVisible();
});

test('no key field repeats its key in the markup', async ({ page, watch }) => {
  // Of the catalogue, which the browser logs by itself.
  watch.allowed.push(/status of 401/);
  for (const [mode, address] of [
    ['studio', null],
    ['compare', 'Custom address'],
    ['benchmark', /^KugelAudio cloud/],
  ] as const) {
    await page.goto(`/?mode=${mode}`);
    if (address !== null) {
      await page
        .getByRole('combobox', { name: /^Server of / })
        .first()
        .click();
      await page.getByRole('option', { name: address }).first().click();
    }
    const field = keyField(page).first();
    await field.fill(`canary-${mode}`);
    await page.getByRole('button', { name: 'Show key' }).first().click();
    await expect(field).toHaveValue(`canary-${mode}`);
    expect(await field.getAttribute('value'), mode).toBeNull();
    expect(await placesHolding(page, 'canary-'), mode).toEqual([]);
    await field.fill('');
    await expect(field).toHaveValue('');
  }
});

test('a voice is searched, filtered, played and chosen, and the next turn uses it', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Choose a voice, now Marta' }).click();
  const dialog = page.getByRole('dialog', { name: 'Choose a voice' });
  const found = dialog.getByRole('listitem');
  await expect(dialog).toContainText(/\d+ voices/);
  await dialog.getByRole('textbox', { name: 'Search voices' }).fill('rup');
  await expect(found.first()).toContainText('Rupert');
  await dialog.getByRole('textbox', { name: 'Search voices' }).fill('');
  await dialog.getByRole('combobox', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'German' }).click();
  await dialog.getByRole('combobox', { name: 'Sex', exact: true }).click();
  await page.getByRole('option', { name: 'male', exact: true }).click();
  await expect(found.filter({ hasText: 'Hans' })).toBeVisible();
  await expect(found.filter({ hasText: 'Marta' })).toHaveCount(0);
  await expect(found.filter({ hasText: 'Rupert' })).toHaveCount(0);
  for (const voice of await found.all()) await expect(voice).toContainText('German');

  const sample = page.waitForResponse((response) => response.url().endsWith('/v1/voices/268/sample.wav'));
  const playing = painted(found.filter({ hasText: 'Hans' }), 'Playing the sample');
  await dialog.getByRole('button', { name: 'Play a sample of Hans' }).click();
  await sample;
  await playing;
  await dialog.getByRole('textbox', { name: 'Search voices' }).fill('hans');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('f');
  await expect(dialog.getByRole('button', { name: 'Remove Hans from the favourites' })).toBeVisible();
  await expect(dialog.getByRole('button', { name: /^Choose Hans,/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Choose a voice, now Hans' })).toBeVisible();
  await speakText(page, 'Guten Tag.');
  await expect(turn(page, 1)).toContainText('Hans');
  await heardToEnd(page);
  expect(peakOf((await recorded(page)).samples)).toBeGreaterThan(0.1);
});

test('a setting changed in mid-turn shows “from the next turn” and applies from then', async ({ page }) => {
  const server = await startAnsweringServer();
  await openOn(page, server.base);
  await page.getByRole('switch', { name: 'Send while typing' }).click();
  // The turn is open until it is flushed.
  const writeWord = async (word: string) => {
    await textBox(page).focus();
    // At once: after a pause its letters would be sent without the space.
    await page.keyboard.insertText(word);
  };
  await writeWord('Hello ');
  await expect.poll(() => server.received.some((message) => message.text === 'Hello ')).toBe(true);
  const speed = row(page, 'speed').getByRole('textbox', { name: 'Speed' });
  await speed.fill('1.1');
  await speed.press('Enter');
  await expect(row(page, 'speed')).toContainText('from the next turn');
  await textBox(page).press('Enter');
  await expect(turn(page, 1)).toContainText('Spoken');
  await expect(row(page, 'speed')).not.toContainText('from the next turn');
  expect(server.received.filter((message) => 'speed' in message)).toEqual([]);
  await writeWord('Again ');
  await textBox(page).press('Enter');
  await expect(turn(page, 2)).toContainText('Spoken');
  const changed = server.received.findIndex((message) => message.speed === 1.1);
  const again = server.received.findIndex((message) => message.text === 'Again ');
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThanOrEqual(again);
  await server.close();
});

test('the page speaks with damaged storage', async ({ page }) => {
  await page.addInitScript(() => {
    const state = {
      endpoint: 5,
      servers: 'x',
      settings: { 'kugel-stream': 7 },
      theme: 'pink',
      volume: 'loud',
      draft: 12,
      simulation: { seed: -1 },
      dockHeightPx: null,
      setupWidthPx: 'wide',
    };
    localStorage.setItem('voicewire.settings', JSON.stringify({ state, version: 1 }));
    sessionStorage.setItem('voicewire.keys', '{"state":');
  });
  await page.goto('/?endpoint=no-such-endpoint');
  await expect(page.getByRole('combobox', { name: 'Endpoint' })).toHaveText('kugel-stream');
  await speakText(page, LONG_TEXT);
  await wordsBegin(turn(page, 1));
  await cancel(page).click();
  await expect(turn(page, 1)).toContainText('Cancelled');
});

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { JSHandle, Page } from '@playwright/test';
import { FORMAT_VERSION } from '#trace/files/recording-schema.ts';
import { CANARY, CANARY_FORMS, placesHolding } from './support/canary.ts';
import { expectGoodLooks } from './support/looks.ts';
import {
  expect,
  heardToEnd,
  keyField,
  speak,
  speakText,
  test,
  textBox,
  turn,
  withStored,
} from './support/page.ts';
import { startScriptedServer } from './support/scripted-server.ts';
import { startStaticHost } from './support/static-host.ts';
import { savedFrom, storedText } from './support/stored.ts';

const frames = (page: Page) => page.getByRole('treegrid', { name: 'Frames' });
const dialog = (page: Page) => page.getByRole('dialog');
const exportButton = (page: Page) => page.getByRole('button', { name: 'Export', exact: true });

/** A file falls onto the page, wherever. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name));
      return data;
    },
    [name, text] as const,
  );
  await dropData(page, data);
}

type Drag = (type: 'dragEnter' | 'dragOver' | 'drop') => Promise<unknown>;

/** The file is dragged as from the desktop, so the browser itself opens it where the page does not take it. */
async function dragOf(page: Page, file: string): Promise<Drag> {
  const browser = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  return (type) => browser.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
}

/** Drops it at once, also before the part that shows where it may be dropped is there. */
const dropData = (page: Page, data: JSHandle<DataTransfer>): Promise<void> =>
  page.dispatchEvent('body', 'drop', { dataTransfer: data });

const sample = (name: string): string =>
  gunzipSync(
    readFileSync(new URL(`../public/recordings/${name}.voicewire.ndjson.gz`, import.meta.url)),
  ).toString();

const HEAD = `${JSON.stringify({
  format: 'voicewire-recording',
  version: FORMAT_VERSION,
  info: {
    ...{ id: 'large', name: 'large', endpoint: 'kugel-stream', address: '', startedAtMs: 0, durationUs: 0 },
    ...{ entries: 1, bytes: 1, pinned: false },
  },
})}\n`;
/** @param payload as it stands between quotes */
const entryLine = (payload: string): string =>
  `{"atUs":0,"direction":"out","connection":1,"opcode":"text","bytes":1,"kind":"say","turn":1,"text":"${payload}"}`;

test('on a static host under a path the page reports the missing server, shows samples, and says why it estimates the times of words', async ({
  page,
  watch,
}) => {
  const host = await startStaticHost();
  await page.goto(host.address);
  await expect(page.getByText('No local server runs where this page is hosted.')).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(speak(page)).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Sample recordings' }).click();
  await page.getByRole('button', { name: 'Three speakers on one socket' }).click();
  await expect(frames(page).getByText('contextOpened').first()).toBeVisible();
  // The frames replace the sample's button, which shows the same text.
  await expect(page.getByText('Three speakers on one socket')).toBeVisible();
  await exportButton(page).click();
  await expect(dialog(page).getByRole('combobox', { name: 'Part of the recording' })).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Show', exact: true }).click();
  await expect(dialog(page).getByRole('region', { name: /^Program, / })).toContainText('VOICEWIRE_KEY');
  await expectGoodLooks(page, 'export', '[role=dialog]');
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Server' }).click();
  await page.getByRole('option', { name: 'KugelAudio cloud', exact: false }).first().click();
  await expect(page.getByText('needs a key').first()).toBeVisible();
  await page.goto(host.address);
  await page.getByRole('button', { name: 'Bytes, and a count for each flush' }).click();
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  // Its place changes while the turn is heard.
  await expect(async () => {
    await turn(page, 1).getByText('words estimated').hover();
    const reason = page.getByText('They are measured only where this page comes from a server of Voicewire');
    await expect(reason).toBeVisible({ timeout: 1000 });
  }).toPass();
  expect([...watch.hosts]).toEqual([new URL(host.address).host]);
  await host.close();
});

test('markup in a file is shown as text, and its faults by their place', async ({ page }) => {
  await page.goto('/');
  const html = '<img src=x onerror="document.title=\'hacked\'"><h1>Big</h1>';
  const whole = sample('three-speakers');
  const payload = JSON.stringify(html).slice(1, -1);
  await drop(
    page,
    `${html}.ndjson`,
    whole.replace('Three speakers on one socket', payload).replaceAll('narrator', payload),
  );
  await expect(frames(page).getByText('contextOpened').first()).toBeVisible();
  await expect(page.getByText(html).first()).toBeVisible();
  await frames(page).getByText('contextOpened').first().click();
  await expect(page.getByRole('article', { name: /^Frame / })).toContainText('<h1>Big</h1>');
  await expect(page.getByRole('heading', { name: 'Big' })).toHaveCount(0);
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  await expect(page).toHaveTitle('Voicewire');
  // The fifth line is cut short.
  const lines = whole.split('\n');
  const broken = test.info().outputPath('broken.ndjson');
  writeFileSync(broken, lines.with(4, lines[4]?.slice(0, 40) ?? '').join('\n'));
  const drag = await dragOf(page, broken);
  const target = page.getByText('Drop it to look at its frames');
  await drag('dragEnter');
  // The part that shows it loads after the first picture, and a browser repeats this event while a file is held.
  const hold = () =>
    expect(async () => {
      await drag('dragOver');
      await expect(target).toBeVisible({ timeout: 500 });
    }).toPass();
  await hold();
  // The protocol of Chromium's tools cannot drag it out of the window.
  await page.dispatchEvent('body', 'dragleave');
  await expect(target).toHaveCount(0);
  await hold();
  await drag('drop');
  await expect(dialog(page).getByRole('alert')).toContainText(
    /Line 5, column \d+: expected .*, found the end/,
  );
  await expect(dialog(page)).toContainText('broken.ndjson was not opened');
});

test('a full disk refuses a file without deleting recordings, and evicts the oldest for a session', {
  tag: '@long',
}, async ({ page }) => {
  await page.goto('/');
  // The browser enforces this quota. Set before the first write, because an earlier quota is cached for seconds.
  const browser = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 6_400_000 });
  for (const [at, name] of ['first', 'second', 'third'].entries()) {
    await drop(page, `${name}.ndjson`, recordingOf({ name, startedAtMs: at, bytes: 2_000_000 }));
    await expect(page.getByText(name, { exact: true })).toBeVisible();
  }
  const recordings = dialog(page).getByRole('list', { name: 'Recordings' }).getByRole('listitem');
  const listed = async (names: readonly (string | RegExp)[]) => {
    await page.getByRole('button', { name: 'Recordings', exact: true }).click();
    await expect(recordings).toHaveText(names.map((name) => new RegExp(name)));
    await page.keyboard.press('Escape');
    await expect(dialog(page)).toHaveCount(0);
  };

  const before = await page.evaluate(rowsInDatabases);
  await drop(page, 'large.ndjson', recordingOf({ name: 'large', startedAtMs: 9, bytes: 5_000_000 }));
  await expect(dialog(page)).toContainText('large.ndjson was not opened');
  await expect(dialog(page).getByRole('alert')).toContainText(
    /no room to store it: it takes at least 5\.0 MB/,
  );
  await page.keyboard.press('Escape');
  expect(await page.evaluate(rowsInDatabases)).toBe(before);
  await listed(['third', 'second', 'first']);

  await speakText(page, 'Room is made for these words. '.repeat(12));
  const notice = page.getByRole('status').filter({ hasText: '1 recording was deleted' });
  await expect(notice.getByRole('listitem')).toHaveText(['first']);
  await page.keyboard.press('Escape');
  await listed([/recording/, 'third', 'second']);
  await expect(page.getByText('Recording stopped')).toHaveCount(0);
  await notice.getByRole('button', { name: 'Dismiss' }).click();
  await expect(notice).toHaveCount(0);
});

/** Files of 64 MB: their beginning, what they repeat as often as there is room, their end, and what the page says. */
const LARGE: readonly (readonly [
  what: string,
  name: string,
  parts: [string, string, string],
  says: RegExp,
])[] = [
  [
    'entries',
    'long.voicewire.ndjson',
    [HEAD, `${entryLine('{\\"text\\":\\"word needle\\"}')}\n`, ''],
    /The file was cut off: its last line is missing\. \d{6} entries could be read/,
  ],
  [
    'one text',
    'text.voicewire.ndjson',
    [`${HEAD}${entryLine('').slice(0, -2)}`, 'needle ', '"}\n'],
    /^Line 2: expected at most \d+ characters in a line/,
  ],
  ['blank lines', 'blank.voicewire.ndjson', [HEAD, '\n', ''], /^Line 2: expected/],
  [
    'messages of a HAR file',
    'long.har',
    [
      '{"log":{"entries":[{"request":{"url":"wss://h.example/ws/tts/stream"},"_webSocketMessages":[',
      '{"type":"send","time":1790000000,"opcode":1,"data":"{\\"text\\":\\"word needle\\"}"},',
      '{"type":"send","time":1790000000,"opcode":1,"data":"{}"}]}]}}',
    ],
    /^long$/,
  ],
  ['one name', 'name.har', ['{"log":{"', 'needle ', '":1}}'], /a WebSocket with messages|entries|at most/],
];
const LARGE_BYTES = 64 * 2 ** 20;

for (const [what, name, parts, says] of LARGE) {
  test(`64 MB of ${what} are read or refused, searched where they are read, and the page speaks on`, {
    tag: '@long',
  }, async ({ page }) => {
    await page.goto('/');
    const file = await page.evaluateHandle(
      ([name, [first, again, last], length]) => {
        const data = new DataTransfer();
        const times = Math.floor(length / again.length / 64);
        const middle = Array<string>(64).fill(again.repeat(times));
        data.items.add(new File([first, ...middle, last], name));
        return data;
      },
      [name, parts, LARGE_BYTES] as const,
    );
    await dropData(page, file);
    await expect(page.getByText(says).first()).toBeVisible({ timeout: 120_000 });
    if ((await dialog(page).count()) > 0) await page.keyboard.press('Escape');
    else {
      await page.getByRole('textbox', { name: 'Search frames' }).fill('needle');
      await expect(page.getByRole('status').filter({ hasText: /[\d,]{6,} hits?$/ })).toBeVisible({
        timeout: 60_000,
      });
      await page.getByRole('button', { name: 'Back to this session' }).click();
    }
    await speakText(page, 'Good day.');
    await heardToEnd(page);
  });
}

test('a large import is cancelled while it is parsed, and leaves nothing', { tag: '@long' }, async ({
  page,
}) => {
  await page.goto('/');
  const file = await page.evaluateHandle(() => {
    const messages = (socket: number) =>
      Array.from({ length: 20 }, (_, at) => {
        const time = 1_790_000_000 + socket + at / 100;
        return { type: 'receive', time, opcode: 1, data: `{"note":"${'n'.repeat(200)}"}` };
      });
    const entries = Array.from({ length: 5000 }, (_, socket) => ({
      request: { url: `wss://host.example/${socket % 500}` },
      _webSocketMessages: messages(socket),
    }));
    const data = new DataTransfer();
    data.items.add(new File([JSON.stringify({ log: { entries } })], 'many.har'));
    return data;
  });
  const cancelled = page.evaluate(cancelImport);
  await dropData(page, file);
  await cancelled;
  await expect(dialog(page)).toHaveCount(0);
  await expect.poll(() => page.evaluate(rowsInDatabases)).toBe(0);
});

test('HAR files: many addresses are one recording until split, and an endpoint is chosen', async ({
  page,
}) => {
  await page.goto('/');
  const entries = Array.from({ length: 27 }, (_, at) => ({
    request: { url: `wss://host-${at}.example/ws/tts/stream` },
    _webSocketMessages: [{ type: 'send', time: 1_790_000_000 + at, opcode: 1, data: '{}' }],
  }));
  await drop(page, 'many.har', JSON.stringify({ log: { entries } }));
  await expect(page.getByText('many', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Split by address' }).click();
  await expect(page.getByText(/^many, wss:/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Recordings', exact: true }).click();
  const recordings = dialog(page).getByRole('list', { name: 'Recordings' }).getByRole('listitem');
  await expect(recordings).toHaveCount(25);
  await expect(recordings.first()).toContainText('host-26');
  await dialog(page).getByRole('button', { name: 'Show 2 more' }).click();
  await expect(recordings).toHaveCount(27);
  await expect(recordings.last()).toContainText('host-0');
  await expect(dialog(page).getByRole('button', { name: /^Show \d+ more/ })).toHaveCount(0);
  await expectGoodLooks(page, 'many recordings');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);

  // Of an unknown gateway.
  const time = 1_790_000_001;
  const messages = [{ type: 'send', time, opcode: 1, data: '{"text":"Good day.","flush":true}' }];
  const gated = [{ request: { url: 'wss://gate.example/speak' }, _webSocketMessages: messages }];
  await drop(page, 'gate.har', JSON.stringify({ log: { entries: gated } }));
  await page.getByRole('combobox', { name: 'Endpoint of the file' }).click();
  await page.getByRole('option', { name: 'KugelAudio stream', exact: false }).first().click();
  await expect(frames(page).getByText('Good day.').first()).toBeVisible();
  await expect(page.getByText('Its endpoint is unknown')).toHaveCount(0);
  await expect(page.getByText('gate', { exact: true })).toHaveCount(1);
});

test('a link fills the page in, sends nothing, and gives no key to an unconfirmed host', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const server = await startScriptedServer(() => {});
  const { host } = new URL(server.base);
  await withStored(page, {
    servers: { murmr: 'custom' },
    customBases: { murmr: server.base },
    settings: { murmr: { voice_description: 'A deep voice', language: 'German' } },
    draft: 'Grüße aus dem Link.',
  });
  await page.goto('/?endpoint=murmr');
  await page.getByRole('button', { name: 'Share a link to this set-up' }).click();
  await expect(page.getByText('Link copied')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  // Somebody else, who has a server of their own with a key.
  const other = await context.newPage();
  const sent: string[] = [];
  other.on('websocket', (socket) => sent.push(socket.url()));
  other.on('request', (request) => sent.push(request.url()));
  await other.addInitScript(() => {
    localStorage.clear();
    sessionStorage.setItem('voicewire.keys', JSON.stringify({ 'murmr/custom': 'my-own-key' }));
  });
  await other.goto(link);
  const notice = other.getByRole('status').filter({ hasText: 'Opened from a link: nothing was sent' });
  await expect(notice).toContainText(host);
  await expect(textBox(other)).toHaveValue('Grüße aus dem Link.');
  expect(new URL(other.url()).hash).toBe('');
  await expect(other.getByRole('combobox', { name: 'Server' })).toContainText('Local server');
  expect(sent.filter((url) => new URL(url).host === host)).toEqual([]);
  const sessions = sent.filter((url) => url.startsWith('ws') && new URL(url).pathname !== '/capture');
  expect(sessions).toEqual([]);
  await notice.getByRole('button', { name: `Use ${host}` }).click();
  await expect(other.getByRole('combobox', { name: 'Server' })).toContainText(host);
  await expect(keyField(other)).toHaveValue('');
  // A link of an earlier version, with a playlist.
  await other.goto('/?endpoint=murmr#programme=1.abc');
  await expect(other.getByRole('alert').filter({ hasText: 'Playlists travel as files now' })).toBeVisible();
  await expect(other).toHaveURL(/endpoint=murmr$/);
  // Cut short on its way.
  await other.goto(link.slice(0, -9));
  await expect(other.getByRole('alert').filter({ hasText: 'The link was not opened' })).toContainText(
    'incomplete',
  );
  await server.close();
});

test('a typed key is in nothing that leaves the page', async ({ page, context, watch }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const found: string[] = [];
  const look = (where: string, text: string) => {
    if (CANARY_FORMS.some((form) => text.includes(form))) found.push(where);
  };
  for (const endpoint of ['kugel-stream', 'murmr']) {
    await page.goto(`/?endpoint=${endpoint}`);
    await keyField(page).fill(CANARY);
    await speakText(page, 'Nobody hears a key.');
    await expect(page.locator('[data-word]').first()).toBeVisible();
    // Then in mid-turn, so that it contains what replaces a cancel.
    if (endpoint === 'kugel-stream') await heardToEnd(page);
    else await expect(page.locator('[data-word][data-state="spoken"]').first()).toBeVisible();
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /^Frames/ }).click();
    await exportButton(page).click();
    for (const format of [
      'Recording',
      'HAR',
      'Sound as received (WAV)',
      'Sound as heard (WAV)',
      'WebVTT',
      'SRT',
      'Word timings (JSON)',
    ]) {
      look(`${endpoint}, ${format}`, (await savedFrom(page, format)).toString('latin1'));
    }
    await dialog(page).getByRole('button', { name: 'Show', exact: true }).click();
    for (const language of ['TypeScript', 'Python', 'websocat']) {
      await dialog(page).getByRole('radio', { name: language }).click();
      look(
        `${endpoint}, ${language}`,
        await dialog(page)
          .getByRole('region', { name: /^Program, / })
          .innerText(),
      );
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Share a link to this set-up' }).click();
    await expect(page.getByText('Link copied')).toBeVisible();
    look(`${endpoint}, link`, await page.evaluate(() => navigator.clipboard.readText()));
    await page.keyboard.press('Escape');
    for (const form of CANARY_FORMS)
      found.push(...(await placesHolding(page, form)).map((at) => `${endpoint}, ${at}`));
  }
  look('console', watch.console.join('\n'));
  look('databases', await storedText(page));
  expect(found).toEqual([]);
});

/** A file of a recording whose frames take about as much. */
function recordingOf({
  name,
  startedAtMs,
  bytes,
}: {
  name: string;
  startedAtMs: number;
  bytes: number;
}): string {
  const frameBytes = 50_000;
  const entries = Math.ceil(bytes / frameBytes);
  const info = {
    id: name,
    name,
    endpoint: 'kugel-stream',
    address: '',
    startedAtMs,
    durationUs: 0,
    entries,
    bytes,
  };
  const header = { format: 'voicewire-recording', version: 1, info: { ...info, pinned: false } };
  const head = {
    atUs: 0,
    direction: 'in',
    connection: 1,
    opcode: 'binary',
    bytes: frameBytes,
    kind: 'audio',
  };
  // Of noise, which no disk can compress.
  const frame = () => JSON.stringify({ ...head, base64: randomBytes(frameBytes).toString('base64') });
  const lines = [JSON.stringify(header), ...Array.from({ length: entries }, frame)];
  return `${lines.join('\n')}\n{"end":{"entries":${entries}}}\n`;
}

/** Presses Cancel as soon as the progress of an import is shown. Runs in the page. */
const cancelImport = (): Promise<void> =>
  new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const progress = document.querySelector('[role=dialog] progress');
      if (!progress) return;
      observer.disconnect();
      const buttons = progress.parentElement?.querySelectorAll('button') ?? [];
      for (const button of buttons) if (button.textContent === 'Cancel') button.click();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  });

/** Number of rows in the page's databases. Runs in the page. */
async function rowsInDatabases(): Promise<number> {
  const done = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  let rows = 0;
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await done(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      rows += await done(database.transaction(store).objectStore(store).count());
    }
    database.close();
  }
  return rows;
}

import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { CANARY, CANARY_FORMS, placesHolding } from './support/canary.ts';
import { axeFindings, expectGoodLooks, otherThemesFindings, overEdge } from './support/looks.ts';
import { expect, resize, speakText, test, transcript, turn, words } from './support/page.ts';
import { samplesIn, startProgram } from './support/program.ts';
import { savedAs, storedText } from './support/stored.ts';
import { hearWhole, peakOf, recorded } from './support/tap.ts';

const badge = (page: Page) => page.getByRole('button', { name: /^Clients of this server: / });
const list = (page: Page) => page.getByRole('list', { name: 'Clients', exact: true });
const bar = (page: Page) => page.getByRole('region', { name: 'Client', exact: true });
const rows = (page: Page) => page.getByRole('treegrid', { name: 'Frames' }).locator('tbody tr');
const framesTab = (page: Page) => page.getByRole('tab', { name: /^Frames/ });

const STREAM = '/kugel/ws/tts/stream';
/** A program's name. Those of other tests are clients of the same server. */
const unique = (name: string): string => `${name}/${randomUUID().slice(0, 8)}`;

const TEXT = 'Good morning. The train to Berlin leaves from platform four.';

/** Opens a program from the list of clients. */
async function openClient(page: Page, name: string): Promise<void> {
  await badge(page).click();
  await list(page)
    .getByRole('button', { name: `Open ${name}` })
    .click();
}

test('a program on the server is seen live: frames, words, findings, faults and lead', async ({
  page,
  baseURL,
}) => {
  await page.goto('/');
  await framesTab(page).click();
  await expect(page.getByRole('button', { name: 'Recordings' })).toBeVisible();
  const name = unique('agent');
  const path = `/faults/stall=50@3${STREAM}?api_key=local`;
  const agent = await startProgram(baseURL ?? '', { path, name });
  await expect(badge(page)).toHaveAccessibleName(/^Clients of this server: \d+ connected$/);
  await resize(page, { width: 900, height: 800 });
  expect(await overEdge(page)).toEqual([]);
  await resize(page, { width: 1440, height: 900 });
  await badge(page).click();
  const row = list(page).getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText('connected');
  await expect(row).toContainText('kugel-stream');
  await expectGoodLooks(page, 'the list of clients', '[role=dialog]');
  expect(await otherThemesFindings(page, '[role=dialog]')).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(badge(page)).toBeFocused();
  await openClient(page, name);

  await expect(bar(page)).toContainText(`${name} on KugelAudio`);
  await expect(bar(page)).toContainText('live');
  await expect(transcript(page)).toContainText('This client has not spoken yet');
  agent.say({ text: TEXT, voice_id: 1071, word_timestamps: true, flush: true });
  await expect(words(page).filter({ hasText: 'Berlin' })).toBeVisible();
  await expect(turn(page, 1)).toContainText(/Receiving|Received/);
  await expect(rows(page).filter({ hasText: 'Good morning. The train' }).first()).toBeVisible();
  // Advice on the text, and nothing that breaks a rule.
  await expect(page.getByRole('button', { name: '1 finding', exact: true })).toBeVisible();
  await expect(bar(page)).toContainText(/least buffer \d+\.\d\d s/);
  await expect(rows(page).filter({ hasText: 'stall=50@3' })).toHaveCount(1);
  const before = await rows(page).count();

  agent.say({ text: 7 });
  await expect(page.getByRole('button', { name: /^[2-9] findings$/ })).toBeVisible();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(before);
  // A word leads to the frame that carries it, and back.
  await words(page).filter({ hasText: 'Berlin' }).click();
  await page.getByRole('button', { name: 'Frames', exact: true }).click();
  const detail = page.getByRole('article', { name: /^Frame / });
  await expect(detail.getByRole('list', { name: 'Words in it' })).toContainText('Berlin');
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await expect(page.getByRole('list', { name: 'Lanes' })).toContainText('Received by the client');
  await page.getByRole('button', { name: 'Show as table' }).click();
  const table = page.getByRole('table', { name: 'Timeline' });
  await expect(table.getByRole('row').filter({ hasText: 'stall=50@3' })).toHaveCount(1);
  expect(await axeFindings(page)).toEqual([]);

  await agent.close();
  await expect(bar(page)).toContainText('ended');
  await expect(turn(page, 1)).toContainText('Received');
  // Nobody listened.
  expect(peakOf((await recorded(page)).samples)).toBe(0);
});

test.describe('on a first visit', () => {
  test.use({ isFirstVisit: true });

  test('a client of several contexts is shown with its own hues, endpoint and bill, without the advice for this page', async ({
    page,
    baseURL,
  }) => {
    await page.goto('/');
    await expect(page.getByRole('region', { name: 'Tour' })).toContainText('Press Speak');
    const name = unique('cast');
    const agent = await startProgram(baseURL ?? '', {
      path: '/faults/odd-byte@1/kugel/ws/tts/multi?api_key=local',
      name,
    });
    await openClient(page, name);
    const head = page.getByRole('banner');
    await expect(head.getByText('kugel-multi', { exact: true })).toBeVisible();
    await expect(head.getByRole('combobox', { name: 'Endpoint' })).toHaveCount(0);
    // By their names alone, the last two would have one hue.
    const contexts = ['mira', 'otto', 'narrator'];
    for (const context_id of contexts)
      agent.say({ text: GREETING, context_id, voice_settings: { voice_id: 1071 }, flush: true });
    agent.say({ text: 7, context_id: 'mira' });
    // The server bills a context when it closes.
    await expect(head.getByRole('region', { name: 'Session totals' })).toContainText('cost not billed yet');
    const lineOf = (context: string) => transcript(page).getByRole('article', { name: new RegExp(context) });
    const hues = async () =>
      Promise.all(contexts.map(async (context) => lineOf(context).getAttribute('data-voice')));
    await expect.poll(async () => new Set(await hues()).size).toBe(3);
    const known = await hues();
    for (const [at, context] of contexts.entries()) {
      const lane = page
        .getByRole('list', { name: 'Lanes' })
        .getByRole('listitem')
        .filter({ hasText: context });
      // Panels follow the words on the stage a moment later.
      await expect(lane).toHaveAttribute('data-voice', known[at] ?? '');
    }
    await framesTab(page).click();
    for (const [at, context] of contexts.entries()) {
      const row = rows(page).filter({ has: page.getByRole('gridcell', { name: context, exact: true }) });
      await expect(row.first()).toHaveAttribute('data-voice', known[at] ?? '');
    }
    for (const hue of known) expect(hue).toMatch(/^[1-6]$/);
    await expect(page.getByRole('alert').first()).toContainText('The client has to handle this');
    await expect(page.getByRole('main')).toContainText('The next frame completes the sample');
    await expect(page.getByRole('main')).not.toContainText('in Set-up and speak again');
    await expect(page.getByRole('button', { name: 'Speak again' })).toHaveCount(0);
    const tour = page.getByRole('region', { name: 'Tour' });
    await expect(tour).toContainText('Press Speak');
    // The next step concerns the page's own turns, so it waits for them, also when Esc is pressed.
    await tour.getByRole('button', { name: 'Next' }).click();
    await expect(tour).toHaveCount(0);
    await page.keyboard.press('Escape');
    await bar(page).getByRole('button', { name: 'Leave' }).click();
    await expect(tour).toContainText('Press Cancel');
    await agent.close();
  });
});

interface Listened {
  path: string;
  says: readonly object[];
  /** A field of the last frame that is awaited. */
  last: string;
}

const GREETING = 'Good morning.';
const LISTENED: Readonly<Record<string, Listened>> = {
  'kugel-multi': {
    path: '/kugel/ws/tts/multi?api_key=local',
    says: [
      { text: GREETING, context_id: 'a', voice_settings: { voice_id: 1071 }, flush: true },
      { close_context: true, context_id: 'a' },
    ],
    last: 'context_closed',
  },
  'kugel-tts': {
    path: '/kugel/ws/tts?api_key=local',
    says: [{ text: GREETING, voice_id: 1071, word_timestamps: true }],
    last: 'final',
  },
  murmr: {
    path: '/murmr/v1/realtime',
    says: [
      { type: 'config', api_key: 'local', voice_description: 'A warm narrator', language: 'English' },
      { type: 'text', text: GREETING },
      { type: 'flush' },
    ],
    last: 'total_chunks',
  },
};

for (const [endpoint, { path, says, last }] of Object.entries(LISTENED)) {
  test(`Listen plays a client of ${endpoint} to the sample, and its recording replays and exports`, async ({
    page,
    baseURL,
  }) => {
    await page.goto('/');
    await framesTab(page).click();
    const name = unique(`listened-${endpoint}`);
    const agent = await startProgram(baseURL ?? '', { path, name });
    await openClient(page, name);
    await bar(page).getByRole('button', { name: 'Listen' }).click();
    for (const message of says) agent.say(message);
    await agent.frame(last);
    const sound = samplesIn(agent.frames);
    expect(sound.length).toBeGreaterThan(12_000);
    const { endAt } = await hearWhole(page, sound);

    await agent.close();
    await bar(page).getByRole('button', { name: 'Replay' }).click();
    await expect(page.getByRole('region', { name: 'Replay' })).toContainText(name);
    await hearWhole(page, sound, { after: endAt });

    const exported = await savedAs(page, 'Recording');
    const received = exported.split('\n').flatMap((line) => {
      const { direction, text } = line === '' ? {} : JSON.parse(line);
      return direction === 'in' ? [JSON.parse(text)] : [];
    });
    expect(received).toEqual(agent.frames);
  });
}

test('lists what changed between a client and a session of the page', async ({ page, baseURL }) => {
  await page.goto('/');
  await framesTab(page).click();
  const name = unique('compared');
  const agent = await startProgram(baseURL ?? '', { path: `${STREAM}?api_key=local`, name });
  await openClient(page, name);
  agent.say({ text: GREETING, voice_id: 1072, flush: true });
  agent.say({ close: true });
  await agent.frame('session_closed');
  await agent.close();
  await expect(bar(page)).toContainText('ended');
  await speakText(page, GREETING);
  await expect(turn(page, 1)).toContainText('Spoken');

  await page.getByRole('radio', { name: 'Compare' }).click();
  await page.getByRole('radio', { name: 'What changed' }).click();
  const choice = (side: string) => page.getByRole('combobox', { name: `Recording ${side}` });
  await expect(choice('A')).toContainText(`${name} on KugelAudio stream`);
  await expect(choice('B')).not.toContainText(name);
  await page.getByRole('button', { name: 'Show differences' }).click();
  const differences = page.getByRole('table', { name: 'Differences of A and B' });
  await expect(
    differences.getByRole('row', { name: /turn 1 shape settings, voice_id gone 1072/ }),
  ).toBeVisible();
  await expectGoodLooks(page, 'what changed');
  expect(await otherThemesFindings(page)).toEqual([]);
});

test('a key that a program sends is nowhere on the page, in its storage or exports', async ({
  page,
  baseURL,
}) => {
  await page.goto('/');
  await framesTab(page).click();
  const key = encodeURIComponent(CANARY);
  const headers = { 'X-API-Key': CANARY, Authorization: `Bearer ${CANARY}` };
  const first = unique('one');
  const second = unique('two');
  const programs = [
    await startProgram(baseURL ?? '', {
      path: `${STREAM}?api_key=${key}`,
      name: `${first} ${CANARY}`,
      headers,
    }),
    await startProgram(baseURL ?? '', { path: '/murmr/v1/realtime', name: second, headers }),
  ];
  programs[1]?.say({ type: 'config', api_key: CANARY, voice_id: 'anna' });
  // The server repeats a part of what it cannot read.
  programs[0]?.say({ text: 7, api_key: CANARY });
  programs[0]?.say({ api_key: CANARY, voice_id: CANARY });
  await programs[0]?.frame('error');
  for (const name of [`${first} [key]`, second]) {
    await openClient(page, name);
    await expect(bar(page)).toContainText(name);
    await expect(
      rows(page)
        .filter({ hasText: /api_key|voice/ })
        .first(),
    ).toBeVisible();
    for (const format of ['Recording', 'HAR'] as const) {
      const text = await savedAs(page, format);
      for (const form of CANARY_FORMS) expect(text, format).not.toContain(form);
    }
  }
  for (const program of programs) await program.close();
  await expect(bar(page)).toContainText('ended');
  await expect.poll(() => storedText(page)).toContain(second);
  const stored = await storedText(page);
  for (const form of CANARY_FORMS) {
    expect(stored).not.toContain(form);
    expect(await placesHolding(page, form)).toEqual([]);
  }
});

test('REST calls of a program are seen live, opened and exported, without their key', async ({
  page,
  baseURL,
}) => {
  await page.goto('/');
  const name = unique('caller');
  const headers = {
    'User-Agent': name,
    Authorization: `Bearer ${CANARY}`,
    'Content-Type': 'application/json',
  };
  // The call goes on until its body ends.
  let body: ReadableStreamDefaultController | undefined;
  const speaking = fetch(`${baseURL}/murmr/v1/voices/design/stream`, {
    method: 'POST',
    headers,
    body: new ReadableStream({
      start(controller) {
        body = controller;
        // Node sends the head with the first part.
        body.enqueue(Buffer.from(' '));
      },
    }),
    duplex: 'half',
  } as RequestInit);
  await badge(page).click();
  const row = list(page).getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText('calling');
  await expect(row).toContainText(/murmr-rest, since [\d:]+, 1 call, 1 B, none failed/);
  await expectGoodLooks(page, 'the list of clients', '[role=dialog]');
  await row.getByRole('button', { name: `Open ${name}` }).click();
  await expect(framesTab(page)).toHaveAttribute('aria-selected', 'true');
  await expect(rows(page).filter({ hasText: 'POST /v1/voices/design/stream' })).toBeVisible();
  await expect(page.getByText('A client of the server is shown, as it goes on:')).toBeVisible();
  await expect(bar(page)).toBeHidden();

  body?.enqueue(Buffer.from(JSON.stringify({ text: TEXT, voice_description: 'calm', api_key: CANARY })));
  body?.close();
  const spoken = await (await speaking).text();
  expect((await fetch(`${baseURL}/murmr/v1/jobs/none`, { headers })).status).toBe(404);
  await expect(rows(page).filter({ hasText: 'data: {"done":true' })).toBeVisible();
  const refused = rows(page).filter({ hasText: '404 Not Found' });
  await expect(refused).toContainText('problem');
  await expect(page.getByRole('button', { name: 'Not checked' })).toBeVisible();
  await page.getByRole('button', { name: 'Replay' }).hover();
  await expect(page.getByText('It holds REST calls, which have no session to replay.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Call', exact: true }).click();
  await page.getByRole('option', { name: 'Call 2' }).click();
  await expect(rows(page)).toHaveText([
    /GET .v1.jobs.none/,
    /404 Not Found/,
    /Job not found/,
    /complete; 0 B sent/,
  ]);
  await page.getByRole('combobox', { name: 'Call', exact: true }).click();
  await page.getByRole('option', { name: 'All calls' }).click();
  // Only rows in view exist, and the list follows its end.
  await rows(page).first().hover();
  await page.mouse.wheel(0, -100_000);
  await expect(rows(page).filter({ hasText: '200 OK, text/event-stream' })).toBeVisible();
  await rows(page).filter({ hasText: 'voice_description' }).click();
  const detail = page.getByRole('article', { name: /^Frame / });
  await expect(detail).toContainText('calm');
  await expect(detail.getByRole('button', { name: 'Send again' })).toBeHidden();
  await expectGoodLooks(page, 'the calls of a client');

  const recording = await savedAs(page, 'Recording');
  const bodies = recording.split('\n').flatMap((line) => {
    const { direction, kind, turn, text } = line === '' ? {} : JSON.parse(line);
    return direction === 'in' && kind === 'body' && turn === 1 ? [text] : [];
  });
  expect(bodies.join('')).toBe(spoken);
  const har = await savedAs(page, 'HAR');
  const { entries } = JSON.parse(har).log;
  expect(entries[0].response.content.text).toBe(spoken);
  expect(entries.map(({ response }: { response: { status: number } }) => response.status)).toEqual([
    200, 404,
  ]);
  await expect.poll(() => storedText(page)).toContain(name);
  for (const form of CANARY_FORMS) {
    for (const text of [recording, har, await storedText(page)]) expect(text.includes(form)).toBe(false);
    expect(await placesHolding(page, form)).toEqual([]);
  }
});

test('clients fit on a phone, by touch', async ({ browser, baseURL }) => {
  const context = await browser.newContext({
    baseURL: baseURL ?? '',
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto('/');
  const name = unique('phone');
  const agent = await startProgram(baseURL ?? '', { path: `${STREAM}?api_key=local`, name });
  await expect(badge(page)).toBeVisible();
  await expectGoodLooks(page, 'the badge');
  await badge(page).click();
  await expect(list(page)).toContainText(name);
  await expectGoodLooks(page, 'the list of clients', '[role=dialog]');
  const addresses = page.getByRole('list', { name: 'Addresses for an application' });
  // In one look, because other tests add clients.
  const overlapPx = await addresses.evaluate((node) => {
    const clients = node.closest('section')?.querySelector('[aria-label="Clients"]');
    return (clients?.getBoundingClientRect().bottom ?? Number.NaN) - node.getBoundingClientRect().top;
  });
  expect(overlapPx).toBeLessThanOrEqual(0);
  await list(page)
    .getByRole('button', { name: `Open ${name}` })
    .click();
  await expect(bar(page)).toContainText('live');
  agent.say({ text: TEXT, voice_id: 1071, word_timestamps: true, flush: true });
  await expect(words(page).filter({ hasText: 'Berlin' })).toBeVisible();
  await expectGoodLooks(page, 'a client');
  await agent.close();
  await context.close();
});

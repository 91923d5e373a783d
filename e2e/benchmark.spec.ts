import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { writeResults } from '#benchmark/results.ts';
import { resultsOf, testPlan } from '#benchmark/testing/plans.ts';
import { heardReply, startTranscriptionServer } from '#text/testing/transcription-server.ts';
import { startDelayingProxy } from './support/delaying-proxy.ts';
import { expectGoodLooks } from './support/looks.ts';
import { expect, test, withStored } from './support/page.ts';

/** More than what a busy machine adds to the median of the direct runs. */
const DELAY_MS = 1000;
const NARROW = { width: 360, height: 740 };

const open = (page: Page, what: 'plan' | 'results', text: string) =>
  page
    .getByLabel(`Open ${what}: file`)
    .setInputFiles({ name: `${what}.json`, mimeType: 'application/json', buffer: Buffer.from(text) });

const results = (page: Page) => page.getByRole('region', { name: 'Results' });

async function saved(page: Page, entry: string): Promise<string> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: entry }).click();
  return await readFile(await (await download).path(), 'utf8');
}

test('finds an arranged delay by many runs, and exports the results', async ({ page, baseURL, watch }) => {
  watch.allowed.push(/status of 500/);
  const proxy = await startDelayingProxy((baseURL ?? '').replace('http', 'ws'));
  const transcription = await startTranscriptionServer((to, request) => {
    // A failure costs nothing but the figure.
    const isFirst = transcription.requests.length === 1;
    heardReply(isFirst ? { error: 'Out of memory' } : { text: 'Yes, sir.' }, isFirst ? 500 : 200)(
      to,
      request,
    );
  });
  const way = (name: string, delayMs: number) => ({
    name,
    endpoint: 'kugel-stream',
    // A delayed run hears a part of its only turn twice, which is a finding in its sound.
    server: proxy.base(delayMs, delayMs > 0 ? '/faults/duplicate@2/kugel' : '/kugel'),
    settings: { voice_id: 1071, language: 'en' },
  });
  try {
    await page.goto('/?mode=benchmark');
    await open(
      page,
      'plan',
      JSON.stringify({
        version: 1,
        name: 'Two ways',
        texts: [{ name: 'Yes', text: 'Yes.' }],
        configurations: [way('Direct', 0), way('Delayed', DELAY_MS)],
        runs: 6,
        warmUps: 0,
        pauseMs: 0,
        transcription: { base: transcription.base, model: 'scripted' },
      }),
    );
    await expect(page.getByRole('switch', { name: /^Check the words/ })).toBeChecked();
    await expect(page.getByRole('region', { name: 'Estimate' })).toContainText('12 runs');
    await page.getByRole('button', { name: 'Start' }).click();
    await expect(page.getByRole('progressbar', { name: 'Benchmark' })).toBeVisible();
    await expect(results(page)).toContainText('Finished. 12 runs');
    await expect(results(page).locator('[data-verdict]')).toContainText(
      /Difference.*Delayed is slower than Direct by \d+ ms \(95 % interval /,
    );
    await expectGoodLooks(page, 'results', 'main');

    // Results without a file are not lost without a question.
    const [question] = await Promise.all([
      page.waitForEvent('dialog'),
      page.close({ runBeforeUnload: true }),
    ]);
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();

    const json = JSON.parse(await saved(page, 'JSON')) as {
      runs: { configuration: number; failure: string | null; measures: Record<string, number | null> }[];
    };
    expect(json.runs.map(({ failure }) => failure)).toEqual(Array.from({ length: 12 }, () => null));
    const [first, ...others] = json.runs.map(({ measures }) => measures.wordErrorRate);
    expect(first).toBeNull();
    expect(others).toEqual(Array.from({ length: 11 }, () => 100));
    for (const { configuration, measures } of json.runs) expect(measures.soundFindings).toBe(configuration);
    expect((await saved(page, 'CSV')).trim().split('\r\n')).toHaveLength(13);

    // On paper there are the results alone, whole and in the light theme.
    const whole = await results(page).evaluate((node) => node.scrollHeight);
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('heading', { name: 'Two ways' })).toBeVisible();
    await expect(page.getByRole('img', { name: /every run as a dot/ })).toBeVisible();
    await expect(page.getByRole('button')).toHaveCount(0);
    await expect(page.getByRole('region', { name: 'Estimate' })).toBeHidden();
    const printed = await page.evaluate(() => document.body.scrollHeight);
    expect(printed).toBeGreaterThanOrEqual(whole - 100);
    await page.emulateMedia({ media: 'screen' });
    await Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
  } finally {
    await transcription.close();
    await proxy.close();
  }
});

test('at 360 px a plan is edited and results of two days are read', async ({ page }) => {
  await withStored(page, { theme: 'light' });
  await page.setViewportSize(NARROW);
  await page.goto('/?mode=benchmark');
  await page.getByRole('button', { name: 'Add configuration' }).click();
  await page.getByRole('menuitem', { name: /^Copy of Current/ }).click();
  await expect(page.getByText(/^The same as the first/)).toBeVisible();
  await page.getByRole('button', { name: 'Voice and settings of Current 2' }).click();
  await page.getByRole('combobox', { name: 'How the text goes out' }).click();
  await page.getByRole('option', { name: /Bursty/ }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Differs by simulated model')).toBeVisible();
  await expectGoodLooks(page, 'plan', 'main');

  await open(page, 'plan', '{"version": 1, "texts": 3');
  await expect(page.getByText('plan.json is no plan')).toBeVisible();
  await page.getByRole('textbox', { name: 'Name of the plan' }).fill('');
  await expect(page.getByRole('list', { name: 'What is wrong with the plan' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start' })).toBeDisabled();

  await page.getByRole('radio', { name: 'Results' }).click();
  const day = (shiftMs: number) =>
    writeResults(
      resultsOf(testPlan({ runs: 30, connections: 'both' }), (name, random) =>
        name === 'B' && random() < 0.1 ? 'The connection was lost.' : 300 + shiftMs - 40 * Math.log(random()),
      ),
    );
  await open(page, 'results', day(0));
  await expect(page.getByRole('region', { name: 'Failures' })).toContainText(
    '3 × B: The connection was lost.',
  );
  await page.getByLabel('Compare with an earlier day: file').setInputFiles({
    name: 'earlier.json',
    mimeType: 'application/json',
    buffer: Buffer.from(day(200)),
  });
  await expect(results(page)).toContainText(/A is faster than A, 2026-11-21 by \d+ ms/);
  await expect(page.getByRole('region', { name: 'Cold connections', exact: true })).toBeVisible();
  await results(page).getByText('Every run', { exact: true }).click();
  await expect(page.getByRole('table', { name: 'Every run' })).toBeVisible();
  await expectGoodLooks(page, 'results of two days', 'main');
});

/** A key that the server refuses; it must be in no file. */
const CANARY = 'canary-6f1d2c9b7a';

interface Ended {
  code: number;
  out: string;
  err: string;
}

const measure = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      ['build/command/voicewire.js', 'measure', ...args],
      { cwd: new URL('..', import.meta.url), env: { ...process.env, VOICEWIRE_KEY_CANARY: CANARY } },
      (error, out, err) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });

test('npm run measure writes the same files, and its exit code reports the outcome', async ({ baseURL }) => {
  const folder = await mkdtemp(join(tmpdir(), 'voicewire-measure-'));
  const plan = join(folder, 'plan.json');
  const write = (change: object) =>
    writeFile(
      plan,
      JSON.stringify({
        version: 1,
        texts: [{ name: 'Yes', text: 'Yes.' }],
        configurations: [{ name: 'Local', endpoint: 'kugel-stream', settings: { voice_id: 1071 } }],
        runs: 1,
        warmUps: 0,
        ...change,
      }),
    );
  await write({ runs: 'many' });
  expect(await measure(plan)).toMatchObject({
    code: 2,
    err: expect.stringContaining('runs: expected a number, got "many"'),
  });
  const local = { endpoint: 'kugel-stream', settings: { voice_id: 1071 } };
  await write({
    configurations: [
      { name: 'Local', ...local },
      { name: 'Refused', ...local, keyFrom: 'VOICEWIRE_KEY_CANARY' },
    ],
    thresholds: [{ max: 1, configuration: 'Local' }],
  });
  const out = join(folder, 'out');
  const ended = await measure(plan, '--out', out, '--url', baseURL ?? '');
  expect(ended.out).toMatch(/BROKEN: waitMs p95 of Local, warm: [\d.]+ ms, at most 1 ms/);
  expect(ended.code).toBe(1);
  const files = (await readdir(out)).sort();
  expect(files).toEqual(['results.csv', 'results.json']);
  for (const file of files) {
    const text = await readFile(join(out, file), 'utf8');
    expect(text).toContain('Refused');
    expect(text).not.toContain(CANARY);
  }
  expect(ended.out + ended.err).not.toContain(CANARY);
});

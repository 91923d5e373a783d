import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import type { Plan } from '#benchmark/plan.ts';
import { type Results, readResults } from '#benchmark/results.ts';

/** The results of a plan, and the files that the page would save. */
export interface Measured {
  results: Results;
  files: { json: string; csv: string };
}

export interface MeasureOptions {
  /** Of a running server, `http://127.0.0.1:4173`. */
  origin: string;
  /** By the name that the plan gives in `keyFrom`. They go into the memory of a browser that is closed afterwards. */
  keys: Readonly<Record<string, string>>;
  /** Called whenever there is more to tell, with words such as `12 of 102, about 40 s left`. */
  onProgress?(words: string): void;
  /** Called with every log line of the page, which should have none. */
  onLog?(line: string): void;
}

/** Opens the built page, gives it the plan and waits for the end. */
export async function measurePlan(
  browser: Browser,
  plan: Plan,
  { origin, keys, onProgress, onLog }: MeasureOptions,
): Promise<Measured> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  if (onLog) page.on('console', (message) => onLog(message.text()));
  // The page keeps keys in the session storage of its tab, and looks for those that a plan names under `plan/`.
  await page.addInitScript(
    (stored) => sessionStorage.setItem('voicewire.keys', stored),
    JSON.stringify(Object.fromEntries(Object.entries(keys).map(([name, key]) => [`plan/${name}`, key]))),
  );
  await page.goto(`${origin}/?mode=benchmark`);
  return await run(page, plan, onProgress);
}

async function run(page: Page, plan: Plan, onProgress: MeasureOptions['onProgress']): Promise<Measured> {
  await page.getByLabel('Open plan: file').setInputFiles({
    name: 'plan.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(plan)),
  });
  const start = page.getByRole('button', { name: 'Start', exact: true });
  await page
    .getByRole('textbox', { name: 'Name of the plan' })
    .and(page.locator(`[value=${JSON.stringify(plan.name)}]`))
    .waitFor();
  await page.exposeFunction('tellProgress', (words: string) => onProgress?.(words));
  await page.evaluate(tellProgressOn);
  await start.click();
  // The files are complete by then. A plan may take hours, and one whose budget allows no run ends at once.
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ timeout: 0 });
  const json = await saved(page, 'JSON');
  return { results: readResults(json), files: { json, csv: await saved(page, 'CSV') } };
}

/** In the page: whenever its progress bar says something else, `tellProgress` is called with that. */
function tellProgressOn(): void {
  const { tellProgress } = window as unknown as { tellProgress(words: string): void };
  let before: string | null = null;
  new MutationObserver(() => {
    const bar = document.querySelector('[role="progressbar"][aria-label="Benchmark"]');
    const words = bar?.getAttribute('aria-valuetext') ?? before;
    if (words === null || words === before) return;
    before = words;
    tellProgress(words);
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ['aria-valuetext'] });
}

/** The file that the page hands out for this entry of its menu. */
async function saved(page: Page, entry: string): Promise<string> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: entry }).click();
  return await readFile(await (await download).path(), 'utf8');
}

import { expect, test } from '@playwright/test';
import { fuzzPage } from './fuzz/page/fuzz-page.ts';
import { reported, shortened } from './fuzz/report.ts';

const GIVE_UP_MS = 100_000;

/** A short pass of the part of `npm run fuzz` that needs a browser. */
test('the page speaks after mutated frames of every endpoint and after mutated files', {
  tag: '@long',
}, async ({ baseURL }) => {
  const http = baseURL ?? '';
  const { results, problems, ...figures } = await fuzzPage(
    { http, ws: http.replace(/^http/, 'ws') },
    { frames: 12, files: 3, seed: 7, untilMs: performance.now() + GIVE_UP_MS },
  );
  test.info().annotations.push({ type: 'figures', description: JSON.stringify(figures) });
  expect(reported(results).map((finding) => shortened(finding))).toEqual([]);
  expect(problems).toEqual([]);
  for (const { name, frames, budget } of results) expect(frames, name).toBeGreaterThanOrEqual(budget);
});

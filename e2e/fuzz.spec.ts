import { expect, test } from '@playwright/test';
import { fuzzPage } from './fuzz/page/fuzz-page.ts';

/** A short pass of the part of `npm run fuzz` that needs a browser. */
test('the page speaks after mutated frames of every endpoint and after mutated files', async ({
  baseURL,
}) => {
  test.slow();
  const http = baseURL ?? '';
  const { problems, ...figures } = await fuzzPage(
    { http, ws: http.replace(/^http/, 'ws') },
    {
      frames: 60,
      files: 3,
      seed: 7,
      untilMs: performance.now() + 60_000,
    },
  );
  test.info().annotations.push({ type: 'figures', description: JSON.stringify(figures) });
  expect(problems).toEqual([]);
  expect(figures.goodTurns).toBeGreaterThanOrEqual(3);
  expect(figures.files).toBe(3);
});

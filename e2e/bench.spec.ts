import { test } from '@playwright/test';
import { benchFrames } from './bench/frames.ts';

/** A short pass of `npm run bench frames`, so that its figures exist in the browser that the project installs. */
test('the bench of frames has all its figures in this browser', { tag: '@long' }, async () => {
  await benchFrames(20_000);
});

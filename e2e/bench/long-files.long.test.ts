import { expect, it } from 'vitest';
import { readLongRecordings } from './long-files.ts';

it('lint, diff and serve read a million entries in a heap of bounded size', async () => {
  expect(await readLongRecordings(1_000_000, ['turns of a connection'])).toHaveLength(1);
}, 600_000);

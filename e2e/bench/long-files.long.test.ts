import { expect, it } from 'vitest';
import { readLongRecordings } from './long-files.ts';

it('lint, diff and serve read a million entries in bounded memory', async () => {
  const { problems } = await readLongRecordings(1_000_000, ['turns of a connection', 'calls']);
  expect(problems).toEqual([]);
}, 600_000);

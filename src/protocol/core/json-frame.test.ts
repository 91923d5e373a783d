import { expect, it } from 'vitest';
import { parseFields } from './json-frame.ts';

const TEXT = '{"words":[{"word":"a"}],"context":null}';

it('reads a frame once for all that read it one right after the other, and keeps it no longer', async () => {
  const first = parseFields(TEXT);
  expect(parseFields(TEXT)).toBe(first);
  await null;
  expect(parseFields(TEXT)).not.toBe(first);
  expect(parseFields(TEXT)).toEqual(first);
});

it('reads a frame that is nested deeper than the stack', () => {
  const text = `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect('fields' in parseFields(text)).toBe(true);
});

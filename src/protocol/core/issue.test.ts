import { expect, it } from 'vitest';
import { describeIssue, issuesOf } from './issue.ts';
import { z } from './zod.ts';

const schema = z.object({
  text: z.string(),
  count: z.int(),
  list: z.array(z.string()),
  map: z.record(z.string(), z.unknown()),
});

it('names the expected JSON types, and shows the value instead', () => {
  const value = { text: 5, count: 'x', list: {}, map: [1] };
  const parsed = schema.safeParse(value);
  expect(parsed.success ? [] : issuesOf(parsed.error, value).map(describeIssue)).toEqual([
    'text: expected a string, got 5',
    'count: expected a number, got "x"',
    'list: expected an array, got {}',
    'map: expected an object, got [1]',
  ]);
});

it.each([[['sk-canary-0123456789']], [{ key: 'sk-canary-0123456789' }]])('repeats no key: %j', (api_key) => {
  const value = { api_key };
  const read = z.object({ api_key: z.string() }).safeParse(value);
  const issues = read.error ? issuesOf(read.error, value) : [];
  expect(issues).toEqual([{ path: 'api_key', expected: 'a string', found: 'an object or an array' }]);
});

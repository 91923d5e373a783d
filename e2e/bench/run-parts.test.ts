import { expect, it } from 'vitest';
import { runParts } from './run-parts.ts';

it.each([
  {
    asked: [],
    ran: 'first broken last',
    code: 1,
    says: /The part broken failed: Error: No browser\..*1 of 3 parts failed: broken\./s,
  },
  { asked: ['last', 'first'], ran: 'last first', code: 0, says: /^$/ },
  {
    asked: ['first', 'lost'],
    ran: '',
    code: 1,
    says: /^There is no part named lost; there are first, broken, last\.$/,
  },
])(
  'of the parts $asked runs "$ran", also behind one that fails, and ends with $code',
  async ({ asked, ran, code, says }) => {
    const done: string[] = [];
    const part = (name: string, error?: Error) => async () => {
      done.push(name);
      if (error) throw error;
    };
    const parts = {
      first: part('first'),
      broken: part('broken', new Error('No browser.')),
      last: part('last'),
    };
    const lines: string[] = [];
    expect(await runParts(parts, asked, (line) => lines.push(line))).toBe(code);
    expect(done.join(' ')).toBe(ran);
    expect(lines.join('').trim()).toMatch(says);
  },
);

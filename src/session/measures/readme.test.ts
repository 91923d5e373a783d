import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MEASURES } from './definitions.ts';

const README = new URL('../../../README.md', import.meta.url);

/** As the README has to have it: a line for each measure, in the order of the definitions. */
const TABLE = [
  '| figure | unit | what it means, and *from what it is worked out* |',
  '| --- | --- | --- |',
  ...MEASURES.map(
    ({ title, unit, definition, computed }) =>
      `| ${title} | ${unit === 'ratio' ? '' : unit} | ${definition} *${computed}* |`,
  ),
].join('\n');

it('tells in the README what every figure means, word for word', () => {
  expect(readFileSync(README, 'utf8')).toContain(TABLE);
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MEASURES } from './definitions.ts';

const PAGE = new URL('../../../docs/measures.md', import.meta.url);

/** The table of `docs/measures.md`: a line for each measure, in the order of the definitions. */
const TABLE = [
  '| figure | unit | meaning and *computation* |',
  '| --- | --- | --- |',
  ...MEASURES.map(
    ({ title, unit, definition, computed }) =>
      `| ${title} | ${unit === 'ratio' ? '' : unit} | ${definition} *${computed}* |`,
  ),
].join('\n');

it('documents every measure word for word', () => {
  expect(readFileSync(PAGE, 'utf8')).toContain(TABLE);
});

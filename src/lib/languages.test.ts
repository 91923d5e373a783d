import { expect, it } from 'vitest';
import { languageName } from './languages.ts';

it.each([
  ['de', 'German'],
  ['yue', 'Cantonese'],
  ['xx', undefined],
  ['no language', undefined],
  ['', undefined],
])('names %j as %j', (code, name) => {
  expect(languageName(code)).toBe(name);
});

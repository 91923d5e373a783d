import { expect, it } from 'vitest';
import { wordList } from './word-list.ts';

it('splits a list at its spaces', () => {
  expect(wordList('de en yue')).toEqual(['de', 'en', 'yue']);
});

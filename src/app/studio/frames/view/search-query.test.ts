import { expect, it } from 'vitest';
import { queryOf } from './search-query.ts';

it.each([
  ['final', { text: 'final', isRegex: false, matchCase: false }],
  [' 7', { text: ' 7', isRegex: false, matchCase: false }],
  ['/ws/tts', { text: '/ws/tts', isRegex: false, matchCase: false }],
  ['/idx":\\s*8/', { text: 'idx":\\s*8', isRegex: true, matchCase: true }],
  ['/Final/i ', { text: 'Final', isRegex: true, matchCase: false }],
  ['//', { text: '//', isRegex: false, matchCase: false }],
  ['/a/b/', { text: 'a/b', isRegex: true, matchCase: true }],
])('%j', (typed, query) => {
  expect(queryOf(typed)).toEqual({ ...query, withAudio: false });
});

it.each(['', '  '])('has no query for %j', (typed) => {
  expect(queryOf(typed)).toBeNull();
});

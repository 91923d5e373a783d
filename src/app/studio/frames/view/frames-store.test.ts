import { expect, it } from 'vitest';
import { type FramesState, isFiltered, listOptionsOf, NO_FILTER } from './frames-store.ts';

it.each<[Partial<FramesState>, object]>([
  [{}, {}],
  [{ direction: 'in' }, { directions: ['in'] }],
  [{ kinds: ['audio', 'words'] }, { kinds: ['audio', 'words'] }],
  [{ contexts: ['alice'] }, { contexts: ['alice'] }],
  [{ turn: 3 }, { turns: [3] }],
  [{ problemsOnly: true }, { problemsOnly: true }],
  [
    { problemsOnly: true, withAdvice: false },
    { problemsOnly: true, withoutAdvice: true },
  ],
  [{ withAdvice: false }, {}],
])('%j lists what passes %j', (change, filter) => {
  const state = { ...NO_FILTER, withAdvice: true, ...change };
  expect(listOptionsOf({ ...state, fold: true })).toEqual({ filter, fold: true });
  expect(isFiltered(state)).toBe(Object.keys(filter).length > 0);
});

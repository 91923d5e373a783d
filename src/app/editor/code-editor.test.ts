import { EditorState } from '@codemirror/state';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changeFromPage, isFromPage } from './code-editor.ts';

it('turns any text into any other, by a change of the page', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const state = EditorState.create({ doc: before });
      const change = changeFromPage(state, after);
      expect(change === null).toBe(before === after);
      const transaction = state.update(change ?? {});
      expect(transaction.newDoc.toString()).toBe(after);
      expect(isFromPage(transaction)).toBe(before !== after);
    }),
  );
});

it.each([
  ['"speed": 1.0,', '"speed": 1.05,', { from: 12, to: 12, insert: '5' }],
  ['aaa', 'aa', { from: 2, to: 3, insert: '' }],
])('replaces only what differs between %j and %j', (before, after, changes) => {
  expect(changeFromPage(EditorState.create({ doc: before }), after)).toMatchObject({ changes });
});

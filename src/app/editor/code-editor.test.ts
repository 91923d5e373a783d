import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textChange } from './code-editor.ts';

const apply = (before: string, after: string): string => {
  const change = textChange(before, after);
  return change === null ? before : before.slice(0, change.from) + change.insert + before.slice(change.to);
};

it('turns any text into any other', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
  fc.assert(fc.property(text, text, (before, after) => apply(before, after) === after));
});

it('touches only what differs', () => {
  expect(textChange('"speed": 1.0,', '"speed": 1.05,')).toEqual({ from: 12, to: 12, insert: '5' });
  expect(textChange('aaa', 'aa')).toEqual({ from: 2, to: 3, insert: '' });
  expect(textChange('same', 'same')).toBeNull();
});

import { expect, test } from 'vitest';
import { roundActionOf } from './round-keys.ts';

const press = (key: string, held: Partial<Parameters<typeof roundActionOf>[0]> = {}) =>
  roundActionOf({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    repeat: false,
    ...held,
  });

test.each([
  ['1', { play: 'x' }],
  ['x', { play: 'x' }],
  ['2', { play: 'y' }],
  ['Y', { play: 'y' }],
  ['n', 'next'],
  ['r', 'reveal'],
  ['Escape', 'stop'],
  ['Enter', null],
  ['ArrowDown', null],
  ['3', null],
])('%s', (key, action) => {
  expect(press(key)).toEqual(action);
});

test('ignores keys of the browser and of an input method', () => {
  expect(press('r', { ctrlKey: true })).toBeNull();
  expect(press('1', { altKey: true })).toBeNull();
  expect(press('n', { isComposing: true })).toBeNull();
});

test('ignores the repeats of a held key', () => {
  expect(press('1', { repeat: true })).toBeNull();
  expect(press('n', { repeat: true })).toBeNull();
});

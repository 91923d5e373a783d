import { describe, expect, it } from 'vitest';
import { stageKeyOf } from './stage-keys.ts';

const press = (key: string, change: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  ...change,
});
const STAGE = { isElsewhere: false, onControl: false };

describe('the keys of the stage', () => {
  it.each([
    [' ', { do: 'advance' }],
    ['PageDown', { do: 'advance' }],
    ['ArrowRight', { do: 'advance' }],
    ['ArrowLeft', { do: 'back' }],
    ['1', { do: 'voice', at: 0 }],
    ['9', { do: 'voice', at: 8 }],
    ['0', { do: 'voice', at: null }],
    ['f', { do: 'fullScreen' }],
    ['P', { do: 'programme' }],
    ['w', { do: 'wait' }],
    ['x', null],
    ['Enter', null],
  ])('%j', (key, expected) => {
    expect(stageKeyOf(press(key), STAGE)).toEqual(expected);
  });

  it.each([
    ['a key in a text field', press('1'), { ...STAGE, isElsewhere: true }],
    ['space on a button, which presses it', press(' '), { ...STAGE, onControl: true }],
    ['a key that is held down', press(' ', { repeat: true }), STAGE],
    ['a chord of the browser', press('f', { ctrlKey: true }), STAGE],
    ['another chord of the browser', press('1', { metaKey: true }), STAGE],
  ])('%s is left alone', (_, key, place) => {
    expect(stageKeyOf(key, place)).toBeNull();
  });

  it('obeys a presenter’s remote control while a button has the focus', () => {
    expect(stageKeyOf(press('PageDown'), { ...STAGE, onControl: true })).toEqual({ do: 'advance' });
  });
});

import { describe, expect, it } from 'vitest';
import { presenterKeyOf } from './presenter-keys.ts';

const press = (key: string, change: object = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  ...change,
});
const PRESENTER = { isElsewhere: false, onControl: false };

describe('the keys of the presenter', () => {
  it.each([
    [' ', { do: 'advance' }],
    ['PageDown', { do: 'advance' }],
    ['ArrowRight', { do: 'advance' }],
    ['ArrowLeft', { do: 'back' }],
    ['1', { do: 'voice', at: 0 }],
    ['9', { do: 'voice', at: 8 }],
    ['0', { do: 'voice', at: null }],
    ['f', { do: 'fullScreen' }],
    ['P', { do: 'playlist' }],
    ['w', { do: 'wait' }],
    ['x', null],
    ['Enter', null],
  ])('%j', (key, expected) => {
    expect(presenterKeyOf(press(key), PRESENTER)).toEqual(expected);
  });

  it.each([
    ['a key in a text field', press('1'), { ...PRESENTER, isElsewhere: true }],
    ['space on a button, which presses it', press(' '), { ...PRESENTER, onControl: true }],
    ['a key that is held down', press(' ', { repeat: true }), PRESENTER],
    ['a chord of the browser', press('f', { ctrlKey: true }), PRESENTER],
    ['another chord of the browser', press('1', { metaKey: true }), PRESENTER],
  ])('%s is left alone', (_, key, place) => {
    expect(presenterKeyOf(key, place)).toBeNull();
  });

  it('obeys a remote control for slides while a button has the focus', () => {
    expect(presenterKeyOf(press('PageDown'), { ...PRESENTER, onControl: true })).toEqual({ do: 'advance' });
  });
});

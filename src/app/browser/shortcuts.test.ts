import { describe, expect, it } from 'vitest';
import { shortcutOf } from './shortcuts.ts';

const press = (key: string, change = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...change,
});
const page = { editing: false, layered: false, modal: false };
const text = { editing: true, layered: false, modal: false };
const menu = { editing: false, layered: true, modal: false };
const dialog = { editing: false, layered: true, modal: true };

describe('shortcutOf', () => {
  it.each([
    ['Ctrl+Enter in the text speaks', press('Enter', { ctrlKey: true }), text, 'speak'],
    ['⌘+Enter speaks', press('Enter', { metaKey: true }), page, 'speak'],
    ['Enter alone is left to the field', press('Enter'), text, null],
    ['Esc cancels, also in the text', press('Escape'), text, 'cancel'],
    ['Ctrl+Enter beside an open menu speaks', press('Enter', { ctrlKey: true }), menu, 'speak'],
    ['Ctrl+Enter in a dialog does nothing', press('Enter', { ctrlKey: true }), dialog, null],
    ['Esc in a menu belongs to the menu', press('Escape'), menu, null],
    ['Esc in a dialog belongs to the dialog', press('Escape'), dialog, null],
    ['Esc that ends a composition is not a cancel', press('Escape', { isComposing: true }), text, null],
    ['/ searches the frames', press('/'), page, 'search'],
    ['/ in the text is a slash', press('/'), text, null],
    ['/ in a menu belongs to the menu', press('/'), menu, null],
    ['? lists the keys', press('?', { shiftKey: true }), page, 'help'],
    ['? in the text is a question mark', press('?', { shiftKey: true }), text, null],
  ])('%s', (_, key, place, expected) => {
    expect(shortcutOf(key, place)).toBe(expected);
  });
});

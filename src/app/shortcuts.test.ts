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
const page = { editing: false, layered: false };
const text = { editing: true, layered: false };
const dialog = { editing: false, layered: true };

describe('shortcutOf', () => {
  it.each([
    ['Ctrl+Enter in the text speaks', press('Enter', { ctrlKey: true }), text, 'speak'],
    ['⌘+Enter speaks', press('Enter', { metaKey: true }), page, 'speak'],
    ['Enter alone is left to the field', press('Enter'), text, null],
    ['Esc cancels, also in the text', press('Escape'), text, 'cancel'],
    ['Esc in a dialog belongs to the dialog', press('Escape'), dialog, null],
    ['Esc that ends a composition is not a cancel', press('Escape', { isComposing: true }), text, null],
    ['? lists the keys', press('?', { shiftKey: true }), page, 'help'],
    ['? in the text is a question mark', press('?', { shiftKey: true }), text, null],
  ])('%s', (_, key, place, expected) => {
    expect(shortcutOf(key, place)).toBe(expected);
  });
});

import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { useVoiceName } from './voice-name.ts';

it.each([
  [undefined, 'No voice'],
  [1071, 'Voice 1071'],
  ['an old man', 'an old man'],
  // A playlist may hold it, and every object has a property of this name.
  ['constructor', 'Voice constructor'],
])('names the voice %j without a catalogue', (id, expected) => {
  const Name = () => useVoiceName(id);
  expect(renderToStaticMarkup(<Name />)).toBe(expected);
});

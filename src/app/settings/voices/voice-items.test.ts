import { expect, it } from 'vitest';
import { voiceStep } from './voice-items.tsx';

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowLeft', 0, null],
  ['ArrowDown', 0, 3],
  ['ArrowDown', 5, null],
  ['ArrowUp', 4, 1],
  ['ArrowUp', 1, null],
  ['PageDown', 1, 6],
  ['PageUp', 0, null],
  ['Home', 4, 0],
  ['End', 1, 6],
  ['x', 1, null],
])('%s leads from voice %i of seven in three columns to %j', (key, at, to) => {
  expect(voiceStep(key, at, 7, 3)).toBe(to);
});

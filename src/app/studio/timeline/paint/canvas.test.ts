import { expect, test } from 'vitest';
import { recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { Stripes } from './canvas.ts';

test('rectangles that touch are painted as one', () => {
  const { to, painted } = recordingCanvas();
  const stripes = new Stripes(to, 5, 10, 'x');
  for (const [left, width] of [
    [0, 2],
    [1, 2],
    [3, 1],
    [6, 2],
    [6.5, 0.5],
  ] as const) {
    stripes.add(left, width);
  }
  expect(rectsOf(painted, 'x')).toEqual([[0, 5, 4, 10]]);
  stripes.end();
  stripes.end();
  expect(rectsOf(painted, 'x')).toEqual([
    [0, 5, 4, 10],
    [6, 5, 2, 10],
  ]);
});

test('an empty stripe paints nothing', () => {
  const { to, painted } = recordingCanvas();
  new Stripes(to, 0, 1, 'x').end();
  expect(painted).toEqual([]);
});

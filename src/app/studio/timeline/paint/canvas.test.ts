import { expect, test } from 'vitest';
import { recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { paintStripes } from './canvas.ts';

test.each<[[number, number][], number[][]]>([
  [
    [
      [0, 2],
      [1, 2],
      [3, 1],
      [6, 2],
      [6.5, 0.5],
    ],
    [
      [0, 5, 4, 10],
      [6, 5, 2, 10],
    ],
  ],
  [[], []],
])('the stripes %j are painted as one where they touch', (stripes, rects) => {
  const { to, painted } = recordingCanvas();
  paintStripes(to, { top: 5, height: 10 }, 'x', stripes);
  expect(rectsOf(painted, 'x')).toEqual(rects);
});

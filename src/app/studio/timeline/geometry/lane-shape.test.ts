import { expect, test } from 'vitest';
import { COMPACT, OPEN, ROOMY, STRIPS, shapeOf, stacked, stripAt, UNFOLDED } from './lane-shape.ts';

test.each([
  ['the only context', false, true, 1, OPEN],
  ['one of several', false, false, 3, ROOMY],
  ['one of many', false, false, 6, COMPACT],
  ['one that was unfolded', true, false, 6, UNFOLDED],
])('%s has its shape', (_, isUnfolded, isOnly, speakers, shape) => {
  expect(shapeOf(isUnfolded, isOnly, speakers)).toBe(shape);
});

test.each([
  ['open', OPEN],
  ['unfolded', UNFOLDED],
])('the lanes of an %s block lie below one another and fill it', (_, shape) => {
  let top = shape.headHeight;
  for (const name of STRIPS) {
    const strip = shape.strips[name];
    expect(strip?.top).toBe(top);
    top += strip?.height ?? 0;
  }
  expect(top).toBe(shape.height);
});

const rows = [
  { id: 'a', hue: 1 },
  { id: 'b', hue: 2 },
];

test.each([
  [10, 'a', 'chunks'],
  [29, 'a', 'audio'],
  [70, 'a', 'heard'],
  [84 + 10, 'b', 'text'],
  [84 + 28 + 100, 'b', 'buffer'],
])('at a height of %d lies %s, %s', (y, id, strip) => {
  const { blocks } = stacked(rows, (row) => row === 'b', false);
  expect(stripAt(blocks, y)).toMatchObject({ block: { id }, strip });
});

test('below the last block lies nothing', () => {
  const { blocks, height } = stacked(rows, () => false, false);
  expect(height).toBe(2 * ROOMY.height);
  expect(stripAt(blocks, height)).toBeNull();
});

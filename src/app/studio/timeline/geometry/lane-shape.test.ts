import { expect, test } from 'vitest';
import { LANE_SHAPES, STRIPS, shapeOf, stackedBlocks, stripAt } from './lane-shape.ts';

const { open, unfolded, folded, compact } = LANE_SHAPES;

test.each([
  ['the only context', false, true, 1, open],
  ['one of several', false, false, 3, folded],
  ['one of many', false, false, 6, compact],
  ['one that was unfolded', true, false, 6, unfolded],
])('%s has its shape', (_, isUnfolded, isOnly, speakers, shape) => {
  expect(shapeOf(isUnfolded, isOnly, speakers)).toBe(shape);
});

test.each([
  ['open', open],
  ['unfolded', unfolded],
])('the strips of an %s block fill it from top to bottom', (_, shape) => {
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
])('at %d px is block %s, strip %s', (y, id, strip) => {
  const { blocks } = stackedBlocks(rows, (row) => row === 'b', false);
  expect(stripAt(blocks, y)).toMatchObject({ block: { id }, strip });
});

test('below the last block is none', () => {
  const { blocks, height } = stackedBlocks(rows, () => false, false);
  expect(height).toBe(2 * folded.height);
  expect(stripAt(blocks, height)).toBeNull();
});

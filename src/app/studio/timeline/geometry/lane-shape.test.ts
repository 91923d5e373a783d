import { expect, test } from 'vitest';
import { stackedBlocks, stripAt } from './lane-shape.ts';

test.each([
  ['the only context', false, true, 1, { isOpen: true, headHeight: 0, height: 200 }],
  ['one of several', false, false, 5, { isOpen: false, headHeight: 0, height: 84 }],
  ['one of many', false, false, 6, { isOpen: false, headHeight: 0, height: 40 }],
  ['one that was unfolded', true, false, 6, { isOpen: true, headHeight: 28, height: 228 }],
])('the block of %s has its shape', (_, isUnfolded, isOnly, speakers, shape) => {
  const rows = Array.from({ length: speakers }, (__, at) => ({ id: String(at), hue: 1 }));
  const { blocks, height } = stackedBlocks(rows, () => isUnfolded, isOnly);
  expect(height).toBe(speakers * shape.height);
  const last = blocks.at(-1);
  expect(last).toMatchObject({ ...shape, top: height - shape.height });
  if (!last?.isOpen) return;
  // The strips of an open block fill it.
  let top = last.top + last.headHeight;
  for (const name of ['text', 'chunks', 'audio', 'buffer', 'heard'] as const) {
    expect(last.strips[name]?.top).toBe(top);
    top += last.strips[name]?.height ?? 0;
  }
  expect(top).toBe(height);
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
  [84 + 228, null, null],
])('at %d px is block %s, strip %s', (y, id, strip) => {
  const { blocks } = stackedBlocks(rows, (row) => row === 'b', false);
  const at = stripAt(blocks, y);
  expect([at?.block.id ?? null, at?.strip ?? null]).toEqual([id, strip]);
});

import { expect, test } from 'vitest';
import { stackedBlocks, stripAt } from './lane-shape.ts';

const rowsOf = (count: number) => Array.from({ length: count }, (_, at) => ({ id: String(at), hue: 1 }));

test.each([
  ['the only context', true, 1, 200],
  ['one of several', false, 5, 84],
  ['one of many', false, 6, 40],
])('the block of %s has its height', (_, isOnly, speakers, blockPx) => {
  const { blocks, height } = stackedBlocks(rowsOf(speakers), isOnly);
  expect(height).toBe(speakers * blockPx);
  expect(blocks.at(-1)).toMatchObject({ isOnly, height: blockPx, top: height - blockPx });
});

test('the strips of the only block fill it', () => {
  const [block] = stackedBlocks(rowsOf(1), true).blocks;
  let top = 0;
  for (const name of ['text', 'chunks', 'audio', 'buffer', 'heard'] as const) {
    expect(block?.strips[name]?.top).toBe(top);
    top += block?.strips[name]?.height ?? 0;
  }
  expect(top).toBe(block?.height);
});

test.each([
  [1, 10, '0', 'text'],
  [1, 100, '0', 'buffer'],
  [1, 200, null, null],
  [2, 10, '0', 'chunks'],
  [2, 29, '0', 'audio'],
  [2, 84 + 70, '1', 'heard'],
])('of %i at %d px is block %s, strip %s', (speakers, y, id, strip) => {
  const at = stripAt(stackedBlocks(rowsOf(speakers), speakers === 1).blocks, y);
  expect([at?.block.id ?? null, at?.strip ?? null]).toEqual([id, strip]);
});

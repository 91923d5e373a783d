import { describe, expect, test } from 'vitest';
import { COLUMNS, cellClass } from './row-cells.ts';

const cuts = (...of: Parameters<typeof cellClass>): boolean =>
  cellClass(...of)
    .split(' ')
    .includes('truncate');

describe('a cell', () => {
  test('truncates only text that may not fit', () => {
    expect(cuts('turn', 6)).toBe(false);
    expect(cuts('turn', 7)).toBe(true);
    expect(cuts('index')).toBe(true);
  });

  test('always truncates the summary', () => {
    expect(cuts('summary', 1)).toBe(true);
  });

  test('has its width with and without truncation', () => {
    for (const { id, className } of COLUMNS) {
      expect(cellClass(id)).toContain(className);
      expect(cellClass(id, 0)).toContain(className);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { layoutRestMs } from './use-parts.ts';

describe('layoutRestMs', () => {
  it.each([
    [0, 0],
    [300, 0],
    [1_300, 0],
    [2_000, 50],
    [9_800, 245],
    [200_000, 250],
  ])('of %i characters is %i ms', (chars, restMs) => {
    expect(layoutRestMs(chars)).toBe(restMs);
  });
});

import { describe, expect, it } from 'vitest';
import { bytesFromSamples, leadingSilenceSamples } from './pcm.ts';

it('writes samples as little-endian bytes', () => {
  expect([...bytesFromSamples(Int16Array.of(1, -2, 0x1234))]).toEqual([1, 0, 0xfe, 0xff, 0x34, 0x12]);
  expect([...bytesFromSamples(Int16Array.of(9, 1).subarray(1))]).toEqual([1, 0]);
});

describe('leadingSilenceSamples', () => {
  it.each([
    [[0, 0, 5000], 2],
    // −50 dBFS is the least that is heard.
    [[103, -103, -104], 2],
    [[-32_768], 0],
    [[0, 3, -3], 3],
    [[], 0],
  ])('of %j is %i', (samples, silent) => {
    expect(leadingSilenceSamples(Int16Array.from(samples))).toBe(silent);
  });
});

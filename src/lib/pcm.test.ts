import { describe, expect, it } from 'vitest';
import { bytesFromSamples, decodeFloat32Into, floatBytesFromSamples, leadingSilenceSamples } from './pcm.ts';

it('writes samples as little-endian bytes', () => {
  expect([...bytesFromSamples(Int16Array.of(1, -2, 0x1234))]).toEqual([1, 0, 0xfe, 0xff, 0x34, 0x12]);
  expect([...bytesFromSamples(Int16Array.of(9, 1).subarray(1))]).toEqual([1, 0]);
});

it('writes samples as floats that decode to them', () => {
  const samples = Int16Array.of(0, 1, -32_768, 32_767, 16_384);
  const bytes = floatBytesFromSamples(samples);
  expect([...bytes.subarray(16)]).toEqual([0, 0, 0, 0x3f]);
  const decoded = new Int16Array(5);
  decodeFloat32Into(bytes, decoded);
  expect(decoded).toEqual(samples);
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AUDIBLE_MAGNITUDE, bytesFromSamples, leadingSilenceSamples } from './pcm.ts';

/** Reads signed 16-bit little-endian samples; an odd byte at the end is left out. */
function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.byteLength >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(2 * i, true);
  return samples;
}

describe('samples and bytes', () => {
  it('are little-endian', () => {
    expect([...bytesFromSamples(Int16Array.of(1, -2, 0x1234))]).toEqual([1, 0, 0xfe, 0xff, 0x34, 0x12]);
  });

  it('become one another without loss', () => {
    fc.assert(
      fc.property(fc.int16Array({ maxLength: 100 }), (samples) => {
        expect(samplesFromBytes(bytesFromSamples(samples))).toEqual(samples);
      }),
    );
  });

  it('are read from any offset, without a last odd byte', () => {
    const bytes = Uint8Array.of(9, 1, 0, 2, 0, 3);
    expect([...samplesFromBytes(bytes.subarray(1))]).toEqual([1, 2]);
  });
});

describe('leadingSilenceSamples', () => {
  it.each([
    [[0, 0, 5000], 2],
    [[AUDIBLE_MAGNITUDE - 1, 1 - AUDIBLE_MAGNITUDE, -AUDIBLE_MAGNITUDE], 2],
    [[-32_768], 0],
    [[0, 3, -3], 3],
    [[], 0],
  ])('of %j is %i', (samples, silent) => {
    expect(leadingSilenceSamples(Int16Array.from(samples))).toBe(silent);
  });

  it('takes −50 dBFS as the least that is heard', () => {
    expect(AUDIBLE_MAGNITUDE).toBe(104);
  });
});

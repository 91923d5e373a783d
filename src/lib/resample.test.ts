import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createResampler } from './resample.ts';

const SOURCE_HZ = 22050;
const RATES: readonly number[] = [8000, 16000, 22050, 24000];

function tone(hz: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.sin((2 * Math.PI * hz * i) / SOURCE_HZ));
}

function inBlocks(input: Float32Array, rate: number, sizes: readonly number[]): number[] {
  const resampler = createResampler(SOURCE_HZ, rate);
  const out: number[] = [];
  let at = 0;
  for (const size of sizes) {
    out.push(...resampler.push(input.subarray(at, at + size)));
    at += size;
  }
  out.push(...resampler.push(input.subarray(at)), ...resampler.end());
  return out;
}

describe.each(RATES)('resampling 22050 Hz to %i Hz', (rate) => {
  it('gives the same samples however the input is cut', () => {
    const input = Float32Array.from({ length: 4000 }, (_, i) => Math.sin(i * i * 0.0003) * 0.7);
    const whole = inBlocks(input, rate, []);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 12 }), (sizes) => {
        expect(inBlocks(input, rate, sizes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });

  it('makes exactly ceil(n × out / in) samples of n', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3000 }), (length) => {
        const out = inBlocks(new Float32Array(length), rate, [length >> 1]);
        expect(out.length).toBe(Math.ceil((length * rate) / SOURCE_HZ));
      }),
      { numRuns: 50 },
    );
  });

  it('keeps a tone in the pass band, its phase and its level', () => {
    const out = inBlocks(tone(1000, 6000), rate, [100, 2205]);
    for (let i = 200; i < out.length - 200; i += 1) {
      expect(out[i]).toBeCloseTo(Math.sin((2 * Math.PI * 1000 * i) / rate), 3);
    }
  });

  it('keeps a constant constant', () => {
    const out = inBlocks(new Float32Array(3000).fill(0.5), rate, []);
    for (const sample of out.slice(150, -150)) expect(sample).toBeCloseTo(0.5, 5);
  });

  it('can be used again after its end', () => {
    const resampler = createResampler(SOURCE_HZ, rate);
    const input = tone(440, 700);
    const first = [...resampler.push(input), ...resampler.end()];
    const second = [...resampler.push(input), ...resampler.end()];
    expect(second).toEqual(first);
  });
});

it('removes what the lower rate cannot carry instead of folding it down', () => {
  const out = inBlocks(tone(6000, 8000), 8000, []);
  for (const sample of out.slice(150, -150)) expect(Math.abs(sample)).toBeLessThan(0.001);
});

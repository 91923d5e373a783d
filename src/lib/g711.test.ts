import { describe, expect, it } from 'vitest';
import { decodeG711Into, encodeG711, type G711Law } from './g711.ts';

const ALL_CODES = Uint8Array.from({ length: 256 }, (_, code) => code);
const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);

function decode(law: G711Law, codes: Uint8Array): Int16Array {
  const samples = new Int16Array(codes.length);
  decodeG711Into(law, codes, samples);
  return samples;
}

// Tables 1a to 2b of G.711, scaled from 13 and 14 bits to 16: the ends of the range, silence, a segment's first step.
it.each<[G711Law, number, number]>([
  ['mulaw', 0xff, 0],
  ['mulaw', 0x7f, 0],
  ['mulaw', 0xfe, 8],
  ['mulaw', 0x80, 32_124],
  ['mulaw', 0x00, -32_124],
  ['mulaw', 0xef, 132],
  ['mulaw', 0x90, 15_996],
  ['mulaw', 0x9f, 8316],
  ['alaw', 0xd5, 8],
  ['alaw', 0x55, -8],
  ['alaw', 0xaa, 32_256],
  ['alaw', 0x2a, -32_256],
  ['alaw', 0xc5, 264],
  ['alaw', 0xf5, 528],
])('%s code %i is the sample %i', (law, code, sample) => {
  expect(decode(law, Uint8Array.of(code))[0]).toBe(sample);
});

describe.each<G711Law>(['mulaw', 'alaw'])('%s', (law) => {
  it('gives every code back, but for the second zero of µ-law', () => {
    const again = encodeG711(law, decode(law, ALL_CODES));
    const expected = law === 'mulaw' ? ALL_CODES.map((code) => (code === 0x7f ? 0xff : code)) : ALL_CODES;
    expect([...again]).toEqual([...expected]);
  });

  it('never gives a lower level for a higher sample, and is off by half a step of its segment at most', () => {
    const got = decode(law, encodeG711(law, ALL_SAMPLES));
    const loudest = Math.max(...decode(law, ALL_CODES));
    const wrong = ALL_SAMPLES.filter((sample, at) => {
      const level = got[at] ?? Number.NaN;
      const halfStep = Math.max(
        law === 'mulaw' ? 4 : 8,
        2 ** (27 - Math.clz32(Math.abs(level) + (law === 'mulaw' ? 132 : 0))) / 2,
      );
      const clipped = Math.min(Math.abs(sample), loudest + halfStep);
      return level < (got[at - 1] ?? -Infinity) || Math.abs(clipped - Math.abs(level)) > halfStep;
    });
    expect([...wrong]).toEqual([]);
  });

  // Where each segment begins: a decision value of tables 1 and 2, scaled to 16 bits.
  it.each(
    law === 'mulaw' ? [124, 380, 892, 1916, 3964, 8060, 16_252] : [512, 1024, 2048, 4096, 8192, 16_384],
  )('begins a segment at %i, on both sides of zero', (magnitude) => {
    const codes = encodeG711(law, Int16Array.of(magnitude - 1, magnitude, 1 - magnitude, -magnitude));
    const toggle = law === 'mulaw' ? 0xff : 0x55;
    const [below = 0, at = 0, above = 0, beyond = 0] = codes.map((code) => (code ^ toggle) & 0x7f);
    expect([below, at & 0xf, at - below]).toEqual([above, 0, 1]);
    expect(beyond).toBe(at);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import {
  AUDIO_ENCODINGS,
  type AudioEncoding,
  type CompressedEncoding,
  isCompressed,
} from '#protocol/core/audio-format.ts';
import { PcmStore } from './pcm-store.ts';
import { appendSamples } from './testing/append-samples.ts';
import { marked } from './testing/traces.ts';

type Uncompressed = Exclude<AudioEncoding, CompressedEncoding>;
const UNCOMPRESSED = (Object.keys(AUDIO_ENCODINGS) as AudioEncoding[]).filter(
  (encoding): encoding is Uncompressed => !isCompressed(encoding),
);

const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });

/** 32-bit floats of samples. */
const floats = (samples: Iterable<number>): Uint8Array => {
  const values = [...samples];
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, at) => {
    view.setFloat32(4 * at, value / 32_768, true);
  });
  return new Uint8Array(view.buffer);
};

function encoded(samples: Int16Array, encoding: Uncompressed): Uint8Array {
  if (encoding === 'pcm_s16le') return bytesFromSamples(samples);
  return encoding === 'pcm_f32le' ? floats(samples) : encodeG711(encoding, samples);
}

function asHeard(samples: Int16Array, encoding: Uncompressed): Int16Array {
  if (encoding === 'pcm_s16le' || encoding === 'pcm_f32le') return samples;
  const expanded = new Int16Array(samples.length);
  decodeG711Into(encoding, encodeG711(encoding, samples), expanded);
  return expanded;
}

/** Cuts at any byte, also within a sample. */
function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const parts: Uint8Array[] = [];
  for (let from = 0, i = 0; from < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    parts.push(bytes.subarray(from, from + size));
    from += size;
  }
  return parts;
}

describe.each(UNCOMPRESSED)('%s', (encoding) => {
  it.each(['base64', 'bytes'])(
    'gives every sample as it was sent, however frames are cut, from %s',
    (form) => {
      // More than two blocks, so that frames lie across their edges.
      const samples = marked(150_000, 4);
      const expected = asHeard(samples, encoding);
      for (const sizes of [[9600], [640, 3, 1, 12_801], [300_000], [65_537, 1]]) {
        const store = new PcmStore(24_000);
        let added = 0;
        for (const part of cut(encoded(samples, encoding), sizes)) {
          const result = store.appendPayload(form === 'bytes' ? { bytes: part } : base64(part), encoding);
          added += 'samples' in result ? result.samples : Number.NaN;
        }
        expect([store.length, added]).toEqual([150_000, 150_000]);
        expect(Buffer.from(store.slice().buffer).equals(Buffer.from(expected.slice().buffer))).toBe(true);
      }
    },
  );
});

describe('an odd byte', () => {
  it.each(['bytes', 'base64'])(
    'is dropped where the next frame begins with a whole sample, as %s',
    (form) => {
      const tone = Int16Array.from({ length: 3000 }, (_, i) => Math.round(9000 * Math.sin(i / 9)));
      const bytes = new Uint8Array(tone.buffer);
      const append = (part: Uint8Array) =>
        store.appendPayload(form === 'bytes' ? { bytes: part } : base64(part), 'pcm_s16le');
      const store = new PcmStore(24_000);
      append(bytes.subarray(0, 1999));
      // Too short to tell, so that the next one decides.
      append(bytes.subarray(2000, 2000));
      expect(append(bytes.subarray(2000))).toEqual({ samples: 2000 });
      expect(store.slice()).toEqual(Int16Array.of(...tone.subarray(0, 999), ...tone.subarray(1000)));
    },
  );

  it('is completed by sound that was cut within a sample', () => {
    const tone = Int16Array.from({ length: 3000 }, (_, i) => Math.round(9000 * Math.sin(i / 9)));
    const store = new PcmStore(24_000);
    for (const part of cut(new Uint8Array(tone.buffer), [641, 3, 800, 1999])) {
      store.appendPayload(base64(part), 'pcm_s16le');
    }
    expect(store.slice()).toEqual(tone);
  });

  it('is dropped when a byte of another encoding follows', () => {
    const store = new PcmStore(8000);
    store.appendPayload({ bytes: Uint8Array.of(1, 0, 2) }, 'pcm_s16le');
    store.appendPayload({ bytes: Uint8Array.of(0xff) }, 'mulaw');
    expect([...store.slice()]).toEqual([1, 0]);
  });
});

describe('32-bit floats', () => {
  it('are rounded, clipped, and silent where they are no number', () => {
    const store = new PcmStore(44_100);
    const values = [0.6, -0.6, 40_000, -40_000, Number.NaN, Number.POSITIVE_INFINITY];
    store.appendPayload({ bytes: floats(values) }, 'pcm_f32le');
    expect([...store.slice()]).toEqual([1, -1, 32_767, -32_768, 0, 32_767]);
  });

  it.each(['pcm_s16le', 'mulaw'] as const)('drop a part of a sample that %s follows', (other) => {
    const store = new PcmStore(8000);
    const sample = floats([300]);
    store.appendPayload({ bytes: sample.subarray(0, 3) }, 'pcm_f32le');
    store.appendPayload(base64(encoded(Int16Array.of(0), other)), other);
    store.appendPayload({ bytes: sample }, 'pcm_f32le');
    expect([...store.slice()]).toEqual([0, 300]);
  });
});

describe('an audio frame that is not base64', () => {
  it.each(['pcm_s16le', 'mulaw'] as const)('is reported and adds nothing, %s', (encoding) => {
    const store = new PcmStore(24_000);
    store.appendPayload({ bytes: Uint8Array.of(1, 0, 2) }, 'pcm_s16le');
    expect(store.appendPayload({ base64: 'AAAA*' }, encoding)).toEqual({
      problem: expect.stringContaining('"*" at character 4'),
    });
    expect(store.length).toBe(1);
    store.appendPayload({ bytes: Uint8Array.of(5) }, 'pcm_s16le');
    expect([...store.slice()]).toEqual([1, 0x502]);
  });
});

describe('reading', () => {
  it('returns any part, as a copy or as views that stay valid', () => {
    const samples = marked(140_000, 2);
    const store = new PcmStore(24_000);
    appendSamples(store, samples.subarray(0, 70_000));
    const early = store.view(65_000);
    const before = [...early];
    appendSamples(store, samples.subarray(70_000));
    expect([...early]).toEqual(before);
    fc.assert(
      fc.property(fc.nat(150_000), fc.nat(150_000), (from, to) => {
        const expected = samples.subarray(from, Math.max(from, to));
        expect(Buffer.from(store.slice(from, to).buffer).equals(Buffer.from(expected.slice().buffer))).toBe(
          true,
        );
      }),
      { numRuns: 30 },
    );
    expect(store.view(140_000).length).toBe(0);
    expect(store.view(0, 10)).toEqual(samples.subarray(0, 10));
  });
});

it('trimmed at any time holds the same samples as one that never was', () => {
  const bytes = new Uint8Array(marked(140_000, 3).buffer);
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 10_000, max: 90_000 }), { minLength: 1, maxLength: 5 }),
      (sizes) => {
        const [trimmed, other] = [new PcmStore(24_000), new PcmStore(24_000)];
        for (const part of cut(bytes, sizes)) {
          for (const store of [trimmed, other]) store.appendPayload(base64(part), 'pcm_s16le');
          trimmed.trim();
        }
        expect(Buffer.from(trimmed.slice().buffer).equals(Buffer.from(other.slice().buffer))).toBe(true);
      },
    ),
    { numRuns: 20 },
  );
});

describe('the first audible sample', () => {
  it('is found when it comes, also beyond a block', () => {
    const store = new PcmStore(24_000);
    expect(store.firstAudibleSample).toBeNull();
    appendSamples(store, new Int16Array(66_000).fill(3));
    expect(store.firstAudibleSample).toBeNull();
    appendSamples(store, Int16Array.of(0, -2000, 5));
    expect(store.firstAudibleSample).toBe(66_001);
    appendSamples(store, Int16Array.of(9000));
    expect(store.firstAudibleSample).toBe(66_001);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesFromSamples } from '#lib/pcm.ts';
import { encodeWav, wavHeader } from '#lib/wav.ts';
import { SampleReader } from './sample-reader.ts';

/** A chunk of a WAV file, filled up to an even length. */
function chunk(tag: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(tag, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function read(bytes: Uint8Array, sizes: readonly number[]) {
  const reader = new SampleReader(24_000);
  const samples: number[] = [];
  let at = 0;
  for (const size of sizes) {
    samples.push(...reader.push(bytes.subarray(at, at + size)));
    at += size;
  }
  samples.push(...reader.push(bytes.subarray(at)), ...reader.end());
  return { samples, sampleRate: reader.sampleRate, hasHalfSample: reader.hasHalfSample };
}

const quiet = fc.int16Array({ min: -3000, max: 3000, minLength: 8, maxLength: 200 });
const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 20 });

it('gives the same samples however the bytes are cut: PCM, and WAV with or without other chunks', () => {
  fc.assert(
    fc.property(
      quiet,
      sizes,
      fc.uint8Array({ maxLength: 40 }),
      fc.boolean(),
      (samples, cuts, list, isOdd) => {
        const pcm = Buffer.concat([bytesFromSamples(samples), Buffer.alloc(isOdd ? 1 : 0)]);
        expect(read(pcm, cuts)).toEqual({ samples: [...samples], sampleRate: 24_000, hasHalfSample: isOdd });
        const wav = Buffer.from(encodeWav(samples, 16_000));
        const expected = { samples: [...samples], sampleRate: 16_000, hasHalfSample: false };
        expect(read(wav, cuts)).toEqual(expected);
        const streamed = Buffer.concat([wavHeader(0xffff_ffff, 16_000), bytesFromSamples(samples)]);
        expect(read(streamed, cuts)).toEqual(expected);
        // What stands behind the audio is none.
        const withList = Buffer.concat([
          wav.subarray(0, 36),
          chunk('LIST', list),
          wav.subarray(36),
          chunk('id3 ', list),
        ]);
        expect(read(withList, cuts)).toEqual(expected);
      },
    ),
  );
});

/** A WAV file as a server may write it, also with a wrong length and with odd chunks that nothing fills. */
const file = fc
  .record({
    samples: quiet,
    /** The stated length: right, unknown, or of too much. */
    length: fc.constantFrom('right', 0, 0xffff_ffff, 0x7fff_ffff, 'too much'),
    before: fc.uint8Array({ min: 1, maxLength: 30 }),
    behind: fc.uint8Array({ min: 1, maxLength: 30 }),
    isFilled: fc.boolean(),
    hasHalf: fc.boolean(),
  })
  .map(({ samples, length, before, behind, isFilled, hasHalf }) => {
    const odd = (content: Uint8Array) =>
      chunk('LIST', content).subarray(0, 8 + content.length + (isFilled ? content.length % 2 : 0));
    const data = Buffer.concat([bytesFromSamples(samples), Buffer.alloc(hasHalf ? 1 : 0)]);
    const stated = typeof length === 'number' ? length : data.length + (length === 'right' ? 0 : 100);
    const head = Buffer.from(wavHeader(stated, 16_000));
    // Without a length, nothing tells audio from what stands behind it.
    const tail = length === 'right' ? odd(behind) : Buffer.alloc(0);
    const bytes = Buffer.concat([head.subarray(0, 36), odd(before), head.subarray(36), data, tail]);
    return { samples, bytes, isWhole: length !== 'too much', hasHalf };
  });

it('reads several WAV files behind one another, however they state their lengths and the bytes are cut', () => {
  const last = file.filter(({ isWhole }) => isWhole);
  fc.assert(
    fc.property(fc.array(file, { maxLength: 4 }), last, sizes, (files, end, cuts) => {
      const all = [...files, end];
      const bytes = Buffer.concat(all.map((each) => each.bytes));
      expect(read(bytes, cuts)).toEqual({
        samples: all.flatMap(({ samples }) => [...samples]),
        sampleRate: 16_000,
        hasHalfSample: all.some(({ hasHalf }) => hasHalf),
      });
    }),
    { numRuns: 300 },
  );
});

it('refuses files of several rates, and a file that is cut off', () => {
  const all = Buffer.concat([8000, 16_000].map((rate) => encodeWav(new Int16Array(100), rate)));
  expect(() => read(all, [])).toThrow('WAV files of several rates');
  expect(() => read(all.subarray(0, 260), [])).toThrow('without audio');
  expect(() => read(all.subarray(0, 100), [])).toThrow('cut the audio off');
});

it('a header without end is given up', () => {
  const riff = Buffer.concat([Buffer.from('RIFF....WAVE'), chunk('LIST', new Uint8Array(70_000))]);
  expect(() => read(riff, [])).toThrow('the speech server sent a WAV file without audio');
});

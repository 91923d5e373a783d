import { describe, expect, it } from 'vitest';
import { encodeWav, wavData, wavHeader } from './wav.ts';

const text = (bytes: Uint8Array, from: number, to: number) =>
  String.fromCharCode(...bytes.subarray(from, to));

describe('encodeWav', () => {
  it('writes the chunks, sizes and format of one 16-bit channel', () => {
    const wav = encodeWav(Int16Array.of(0, 1, -1), 22050);
    const view = new DataView(wav.buffer);
    expect(wav.length).toBe(50);
    expect([text(wav, 0, 4), text(wav, 8, 16), text(wav, 36, 40)]).toEqual(['RIFF', 'WAVEfmt ', 'data']);
    expect(view.getUint32(4, true)).toBe(wav.length - 8);
    expect(view.getUint16(20, true)).toBe(1);
    expect(view.getUint16(22, true)).toBe(1);
    expect(view.getUint32(24, true)).toBe(22050);
    expect(view.getUint32(28, true)).toBe(44100);
    expect(view.getUint16(32, true)).toBe(2);
    expect(view.getUint16(34, true)).toBe(16);
    expect(view.getUint32(40, true)).toBe(6);
  });

  it('keeps every sample, extremes included, little-endian', () => {
    const wav = encodeWav(Int16Array.of(-32768, 32767, 258), 8000);
    expect([...wav.subarray(44)]).toEqual([0x00, 0x80, 0xff, 0x7f, 0x02, 0x01]);
  });

  it('is a valid empty file without samples', () => {
    const wav = encodeWav(new Int16Array(0), 24000);
    expect(wav.length).toBe(44);
    expect(new DataView(wav.buffer).getUint32(40, true)).toBe(0);
  });
});

describe('wavHeader', () => {
  it.each([
    ['pcm_f32le', 3, 4],
    ['alaw', 6, 1],
    ['mulaw', 7, 1],
  ] as const)('%s has the format tag %i and %i bytes a sample', (encoding, tag, bytes) => {
    const view = new DataView(wavHeader(400, 8000, encoding).buffer);
    expect(view.getUint16(20, true)).toBe(tag);
    expect([view.getUint32(28, true), view.getUint16(32, true), view.getUint16(34, true)]).toEqual([
      8000 * bytes,
      bytes,
      8 * bytes,
    ]);
  });

  it('states the largest lengths for audio that is still being made', () => {
    const view = new DataView(wavHeader(Number.POSITIVE_INFINITY, 8000).buffer);
    expect([view.getUint32(4, true), view.getUint32(40, true)]).toEqual([0xffff_ffff, 0xffff_ffff]);
  });
});

describe('wavData', () => {
  const wav = encodeWav(Int16Array.of(1, 2, 3), 24_000);
  const ascii = (tag: string) => [...tag].map((each) => each.charCodeAt(0));

  it('returns what encodeWav wrote', () => {
    expect(wavData(wav)).toEqual({ data: Uint8Array.of(1, 0, 2, 0, 3, 0) });
  });

  it('passes over other chunks and their padding', () => {
    const listed = Uint8Array.of(...wav.subarray(0, 36), ...ascii('LIST'), 3, 0, 0, 0, 9, 9, 9, 0);
    expect(wavData(Uint8Array.of(...listed, ...wav.subarray(36)))).toEqual({ data: wav.subarray(44) });
  });

  it('cuts a length beyond the end, as of a file that was streamed', () => {
    const streamed = wav.slice();
    new DataView(streamed.buffer).setUint32(40, 0xffff_ffff, true);
    expect(wavData(streamed)).toEqual({ data: wav.subarray(44) });
  });

  it.each([
    ['nothing', new Uint8Array(), '0 bytes of something else'],
    ['another file', Uint8Array.of(...ascii('ID3 mp3 audio')), '13 bytes of something else'],
    ['no audio', encodeWav(new Int16Array(), 24_000), 'a file without audio'],
    ['a header alone', wav.subarray(0, 36), 'a file without audio'],
    [
      'no format',
      Uint8Array.of(...wav.subarray(0, 12), ...wav.subarray(36)),
      'a file without a format before its data',
    ],
  ])('refuses %s', (_, bytes, problem) => {
    expect(wavData(bytes)).toEqual({ problem });
  });
});

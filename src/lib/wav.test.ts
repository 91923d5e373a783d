import { describe, expect, it } from 'vitest';
import { encodeWav } from './wav.ts';

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

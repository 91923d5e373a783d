import { bytesFromSamples } from './pcm.ts';

const HEADER_BYTES = 44;
const CHUNK_HEADER_BYTES = 8;
/** Tag of the format, and bytes of a sample. */
const FORMATS = { pcm_s16le: [1, 2], pcm_f32le: [3, 4], alaw: [6, 1], mulaw: [7, 1] } as const;
/** Largest length that a header states. Programs read a file of that length to its end. */
const MAX_LENGTH = 0xffff_ffff;

/** Returns a WAV file with one channel of signed 16-bit linear PCM. @param sampleRate in Hz */
export function encodeWav(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const data = bytesFromSamples(samples);
  const bytes = new Uint8Array(HEADER_BYTES + data.length);
  bytes.set(wavHeader(data.length, sampleRate));
  bytes.set(data, HEADER_BYTES);
  return bytes;
}

/**
 * Returns the header of a WAV file with one channel.
 * @param dataBytes infinite for audio that is still being made @param sampleRate in Hz
 */
export function wavHeader(
  dataBytes: number,
  sampleRate: number,
  encoding: keyof typeof FORMATS = 'pcm_s16le',
): Uint8Array<ArrayBuffer> {
  const [tag, bytesPerSample] = FORMATS[encoding];
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  const ascii = (at: number, name: string) => {
    for (let i = 0; i < name.length; i += 1) bytes[at + i] = name.charCodeAt(i);
  };
  ascii(0, 'RIFF');
  view.setUint32(4, Math.min(HEADER_BYTES - 8 + dataBytes, MAX_LENGTH), true);
  ascii(8, 'WAVE');
  ascii(12, 'fmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, tag, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  ascii(36, 'data');
  view.setUint32(40, Math.min(dataBytes, MAX_LENGTH), true);
  return bytes;
}

/** Returns the audio data of a WAV file of any encoding, or its problem. A stated length beyond the file's end is cut. */
export function wavData(bytes: Uint8Array): { data: Uint8Array } | { problem: string } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));
  if (tag(0) !== 'RIFF' || tag(8) !== 'WAVE') return { problem: `${bytes.length} bytes of something else` };
  let described = false;
  for (let at = 12; at + CHUNK_HEADER_BYTES <= bytes.length; ) {
    const from = at + CHUNK_HEADER_BYTES;
    const length = view.getUint32(at + 4, true);
    if (tag(at) === 'fmt ') described = true;
    if (tag(at) === 'data') {
      const data = bytes.subarray(from, from + length);
      if (!described) return { problem: 'a file without a format before its data' };
      return data.length > 0 ? { data } : { problem: 'a file without audio' };
    }
    // Chunks begin at even offsets.
    at = from + length + (length % 2);
  }
  return { problem: 'a file without audio' };
}

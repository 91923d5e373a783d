import { decodeG711Into } from '#lib/g711.ts';
import { decodeFloat32Into } from '#lib/pcm.ts';
import { z } from './zod.ts';

interface UncompressedTraits {
  /** For people. */
  title: string;
  bytesPerSample: number;
  /** Decodes whole samples into the beginning of `target`. Null where the bytes are the 16-bit samples themselves. */
  decodeInto: ((bytes: Uint8Array, target: Int16Array) => void) | null;
}

/** Only a decoder that has read the stream from its beginning knows how many samples some bytes are. */
interface CompressedTraits {
  title: string;
  bytesPerSample: null;
}

/** All forms of samples on the wire. Uncompressed ones have one channel, and PCM is little-endian. */
export const AUDIO_ENCODINGS = {
  pcm_s16le: { title: '16-bit PCM', bytesPerSample: 2, decodeInto: null },
  pcm_f32le: { title: '32-bit float PCM', bytesPerSample: 4, decodeInto: decodeFloat32Into },
  mulaw: {
    title: 'µ-law',
    bytesPerSample: 1,
    decodeInto: (codes, target) => decodeG711Into('mulaw', codes, target),
  },
  alaw: {
    title: 'A-law',
    bytesPerSample: 1,
    decodeInto: (codes, target) => decodeG711Into('alaw', codes, target),
  },
  mp3: { title: 'MP3', bytesPerSample: null },
  opus: { title: 'Opus', bytesPerSample: null },
} as const satisfies Record<string, UncompressedTraits | CompressedTraits>;

export type AudioEncoding = keyof typeof AUDIO_ENCODINGS;

/** Encodings that `#player/decoders.ts` decodes. */
export type CompressedEncoding = {
  [Encoding in AudioEncoding]: (typeof AUDIO_ENCODINGS)[Encoding]['bytesPerSample'] extends null
    ? Encoding
    : never;
}[AudioEncoding];

export const isCompressed = (encoding: AudioEncoding): encoding is CompressedEncoding =>
  AUDIO_ENCODINGS[encoding].bytesPerSample === null;

export interface AudioFormat {
  encoding: AudioEncoding;
  /** In Hz. */
  sampleRate: number;
}

/** Samples that can be encoded and decoded one by one. */
export interface UncompressedFormat extends AudioFormat {
  encoding: Exclude<AudioEncoding, CompressedEncoding>;
}

const audioFormat = z.object({
  encoding: z.enum(Object.keys(AUDIO_ENCODINGS) as AudioEncoding[]),
  sampleRate: z.number().check(z.positive()),
});

/** Whether a value of a file is a known format. */
export const isAudioFormat = (value: unknown): value is AudioFormat => audioFormat.safeParse(value).success;

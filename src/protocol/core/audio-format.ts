import { decodeG711Into } from '#lib/g711.ts';
import { decodeFloat32Into } from '#lib/pcm.ts';
import { z } from './zod.ts';

interface EncodingTraits {
  /** For people. */
  title: string;
  bytesPerSample: number;
  /** Decodes whole samples into the beginning of `target`. Null where the bytes are the 16-bit samples themselves. */
  decodeInto: ((bytes: Uint8Array, target: Int16Array) => void) | null;
}

/** All forms of samples on the wire, one channel each. PCM is little-endian. */
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
} as const satisfies Record<string, EncodingTraits>;

export type AudioEncoding = keyof typeof AUDIO_ENCODINGS;

export interface AudioFormat {
  encoding: AudioEncoding;
  /** In Hz. */
  sampleRate: number;
}

const audioFormat = z.object({
  encoding: z.enum(Object.keys(AUDIO_ENCODINGS) as AudioEncoding[]),
  sampleRate: z.number().check(z.positive()),
});

/** Whether a value of a file is a known format. */
export const isAudioFormat = (value: unknown): value is AudioFormat => audioFormat.safeParse(value).success;

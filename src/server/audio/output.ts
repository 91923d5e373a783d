import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples, floatBytesFromSamples } from '#lib/pcm.ts';
import { wavHeader } from '#lib/wav.ts';
import type { AudioEncoding, AudioFormat, UncompressedFormat } from '#protocol/core/audio-format.ts';
import type { Peer } from '../state/shares.ts';
import type { Encoder } from './encoder.ts';
import { Mp3Encoders } from './mp3.ts';

/** The audio of a client: a format that this server makes. */
export interface Output {
  contentType: string;
  /** In Hz. */
  sampleRate: number;
  /** One encoder takes all the audio of one answer or context. @param peer whose it is */
  open(peer: Peer): Encoder;
}

const MP3 = new Mp3Encoders();

/** Encodings that this server makes. */
type MadeEncoding = Exclude<AudioEncoding, 'opus'>;

type Encode = (samples: Int16Array) => Uint8Array<ArrayBuffer>;

const ENCODE: Readonly<Record<UncompressedFormat['encoding'], Encode>> = {
  pcm_s16le: bytesFromSamples,
  pcm_f32le: floatBytesFromSamples,
  mulaw: (samples) => encodeG711('mulaw', samples),
  alaw: (samples) => encodeG711('alaw', samples),
};

/** Bytes of samples, in memory of their own. */
export const encodeSamples = (
  encoding: UncompressedFormat['encoding'],
  samples: Int16Array,
): Uint8Array<ArrayBuffer> => ENCODE[encoding](samples);

/** Audio in a WAV file. */
export const wavOutput = ({ encoding, sampleRate }: UncompressedFormat): Output => ({
  contentType: 'audio/wav',
  sampleRate,
  open: () => ({
    encode: async (samples) => ENCODE[encoding](samples),
    head: (bytes) => wavHeader(bytes, sampleRate, encoding),
  }),
});

/** Audio without a container. @param kbits of MP3; its default unless given */
export function outputOf(
  { encoding, sampleRate }: AudioFormat & { encoding: MadeEncoding },
  kbits?: number,
): Output {
  if (encoding === 'mp3')
    return { contentType: 'audio/mpeg', sampleRate, open: (peer) => MP3.open(sampleRate, peer, kbits) };
  const contentType = encoding.startsWith('pcm') ? 'audio/pcm' : 'audio/basic';
  const encoder: Encoder = { encode: async (samples) => ENCODE[encoding](samples) };
  return { contentType, sampleRate, open: () => encoder };
}

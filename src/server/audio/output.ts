import { setImmediate } from 'node:timers/promises';
import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples, floatBytesFromSamples } from '#lib/pcm.ts';
import { wavHeader } from '#lib/wav.ts';
import type { AudioEncoding, AudioFormat, UncompressedFormat } from '#protocol/core/audio-format.ts';
import { type Encoder, openMp3 } from './audio-file.ts';

/** The audio of a client: a format that this server makes. */
export interface Output {
  contentType: string;
  /** In Hz. */
  sampleRate: number;
  /** One encoder takes all the audio of one client. */
  open(): Promise<Encoder>;
}

/** Encodings that this server makes. */
type MadeEncoding = Exclude<AudioEncoding, 'opus'>;

const ENCODE: Readonly<Record<UncompressedFormat['encoding'], Encoder['encode']>> = {
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
  open: async () => ({
    encode: ENCODE[encoding],
    head: (bytes) => wavHeader(bytes, sampleRate, encoding),
  }),
});

/** Audio without a container. @param kbits of MP3; its default unless given */
export function outputOf(
  { encoding, sampleRate }: AudioFormat & { encoding: MadeEncoding },
  kbits?: number,
): Output {
  if (encoding === 'mp3')
    return { contentType: 'audio/mpeg', sampleRate, open: () => openMp3(sampleRate, kbits) };
  const contentType = encoding.startsWith('pcm') ? 'audio/pcm' : 'audio/basic';
  return { contentType, sampleRate, open: async () => ({ encode: ENCODE[encoding] }) };
}

/** Encodes in slices, because encoding takes up to 10 ms a second of audio. */
export async function encodeSlowly(
  encoder: Encoder,
  samples: Int16Array,
  sampleRate: number,
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += sampleRate) {
    if (at > 0) await setImmediate();
    parts.push(encoder.encode(samples.subarray(at, at + sampleRate)));
  }
  return Buffer.concat(parts);
}

import { setImmediate } from 'node:timers/promises';
import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { DEFAULT_FORMAT, OUTPUT_FORMATS, readOutputFormat } from '#protocol/elevenlabs/wire/output-format.ts';
import { type Encoder, openMp3 } from '../audio-file.ts';

/** The audio of a client: a format that this server makes. */
export interface Output {
  contentType: string;
  /** In Hz. */
  sampleRate: number;
  /** One encoder takes all the audio of one client. */
  open(): Promise<Encoder>;
}

/** Formats of REST alone (`facts-elevenlabs 1.3`). */
const OF_REST: readonly string[] = ['pcm_32000', 'pcm_48000', 'mp3_24000_48'];

/** Reads an output format, or says why there is none. @param token null for the default */
export function readOutput(token: string | null, of: 'sockets' | 'rest'): Output | { problem: string } {
  const name = token ?? DEFAULT_FORMAT;
  const format = readOutputFormat(name);
  const isKnown = OUTPUT_FORMATS.some((each) => each === name) || (of === 'rest' && OF_REST.includes(name));
  if (!format || !isKnown) return { problem: `output_format: expected one of ${OUTPUT_FORMATS.join(', ')}` };
  const { encoding, sampleRate, kbits } = format;
  switch (encoding) {
    case 'opus':
      return {
        problem:
          'output_format: the local server makes no Opus; ask for pcm_24000, ulaw_8000 or mp3_44100_128',
      };
    case 'mp3':
      return { contentType: 'audio/mpeg', sampleRate, open: () => openMp3(sampleRate, kbits ?? undefined) };
    case 'mulaw':
    case 'alaw': {
      const encode = (samples: Int16Array) => encodeG711(encoding, samples);
      return { contentType: 'audio/basic', sampleRate, open: async () => ({ encode }) };
    }
    default:
      return { contentType: 'audio/pcm', sampleRate, open: async () => ({ encode: bytesFromSamples }) };
  }
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

import { yieldIfLong } from '#lib/loop-slice.ts';
import type { SpeechBlock } from '../speech/engine.ts';
import { OWN_PEER } from '../state/shares.ts';
import { joinedBytes } from './encoder.ts';
import { type Output, outputOf, wavOutput } from './output.ts';

/** A whole recording in 16 bits mono, and how long it plays. */
export interface AudioFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly durationMs: number;
}

/** The output of a format at a rate in Hz. */
const FORMATS = {
  mp3: (sampleRate) => outputOf({ encoding: 'mp3', sampleRate }),
  wav: (sampleRate) => wavOutput({ encoding: 'pcm_s16le', sampleRate }),
  pcm: (sampleRate) => outputOf({ encoding: 'pcm_s16le', sampleRate }),
} as const satisfies Record<string, (sampleRate: number) => Output>;

export type AudioFileFormat = keyof typeof FORMATS;

export const isAudioFileFormat = (name: string): name is AudioFileFormat => Object.hasOwn(FORMATS, name);

/**
 * Encodes speech to a file. Other work runs meanwhile, because encoding takes up to 10 ms a second of audio.
 * @param sampleRate of the blocks, in Hz
 */
export async function writeAudioFile(
  blocks: AsyncIterable<SpeechBlock>,
  format: AudioFileFormat,
  sampleRate: number,
  peer = OWN_PEER,
): Promise<AudioFile> {
  const { contentType, open } = FORMATS[format](sampleRate);
  const encoder = open(peer);
  const parts: Uint8Array[] = [];
  let samples = 0;
  try {
    for await (const block of blocks) {
      samples += block.samples.length;
      parts.push(await encoder.encode(block.samples));
      await yieldIfLong();
    }
    if (encoder.tail) parts.push(await encoder.tail());
  } finally {
    encoder.release?.();
  }
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  if (encoder.head) parts.unshift(encoder.head(length));
  return { bytes: joinedBytes(parts), contentType, durationMs: Math.round((samples * 1000) / sampleRate) };
}

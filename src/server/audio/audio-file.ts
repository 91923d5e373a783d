import { setImmediate } from 'node:timers/promises';
import { createMp3Encoder } from 'wasm-media-encoders';
import { bytesFromSamples, FULL_SCALE } from '#lib/pcm.ts';
import { wavHeader } from '#lib/wav.ts';
import { EngineBusyError, type SpeechBlock } from '../speech/engine.ts';

/** A whole recording in 16 bits mono, and how long it plays. */
export interface AudioFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly durationMs: number;
}

/** Turns samples into the bytes of a file or a stream. */
export interface Encoder {
  /** The samples are valid during the call only. */
  encode(samples: Int16Array): Uint8Array<ArrayBuffer>;
  /** Bytes before all others, whose number is `bytes`. */
  head?(bytes: number): Uint8Array;
  /** Bytes after all others. */
  tail?(): Uint8Array<ArrayBuffer>;
  /** Ends a stream that has no tail. It encodes nothing more. */
  release?(): void;
}

interface Format {
  contentType: string;
  /** @param sampleRate in Hz */
  open(sampleRate: number): Promise<Encoder>;
}

const FORMATS = {
  mp3: { contentType: 'audio/mpeg', open: (sampleRate) => openMp3(sampleRate) },
  wav: {
    contentType: 'audio/wav',
    open: async (sampleRate) => ({
      encode: bytesFromSamples,
      head: (bytes) => wavHeader(bytes, sampleRate),
    }),
  },
  pcm: { contentType: 'audio/pcm', open: async () => ({ encode: bytesFromSamples }) },
} as const satisfies Record<string, Format>;

export type AudioFileFormat = keyof typeof FORMATS;

export const isAudioFileFormat = (name: string): name is AudioFileFormat => Object.hasOwn(FORMATS, name);

/** Kilobits a second (the vendor's `audio-formats.md`). */
const MP3_BITRATE = 128;

type Lame = Awaited<ReturnType<typeof createMp3Encoder>>;
/** Encoders between two files, because a new one costs some 10 ms. */
const idle: Lame[] = [];
const MAX_IDLE = 4;
/** Streams at a time. Each takes 2 MB, and 16 MB of addresses. */
const MAX_STREAMS = 32;
let streams = 0;

/** Opens an encoder of an MP3 stream, which has to be released. @param bitrate in kbit/s @throws EngineBusyError */
export async function openMp3(sampleRate: number, bitrate: number = MP3_BITRATE): Promise<Encoder> {
  if (streams >= MAX_STREAMS) throw new EngineBusyError(`${MAX_STREAMS} MP3 streams are being encoded`);
  streams += 1;
  const made =
    idle.pop() ??
    (await createMp3Encoder().catch((error: unknown) => {
      streams -= 1;
      throw error;
    }));
  // The encoder's type lists the rates of the format, which are those of the callers.
  made.configure({ sampleRate, channels: 1, bitrate: bitrate as 128 });
  /** Null once it may encode another stream. */
  let lame: Lame | null = made;
  const release = () => {
    if (!lame) return;
    lame = null;
    streams -= 1;
    if (idle.length < MAX_IDLE) idle.push(made);
  };
  const nothing = new Uint8Array();
  return {
    // Copies, because the encoder overwrites its output.
    encode: (samples) =>
      lame?.encode([Float32Array.from(samples, (sample) => sample / FULL_SCALE)]).slice() ?? nothing,
    tail() {
      const bytes = lame?.finalize().slice() ?? nothing;
      release();
      return bytes;
    },
    release,
  };
}

/**
 * Encodes speech to a file. Other work runs between two blocks, because encoding takes up to 10 ms a second of audio.
 * @param sampleRate of the blocks, in Hz
 */
export async function writeAudioFile(
  blocks: AsyncIterable<SpeechBlock>,
  format: AudioFileFormat,
  sampleRate: number,
): Promise<AudioFile> {
  const { contentType, open } = FORMATS[format];
  const encoder: Encoder = await open(sampleRate);
  const parts: Uint8Array[] = [];
  let samples = 0;
  try {
    for await (const block of blocks) {
      samples += block.samples.length;
      parts.push(encoder.encode(block.samples));
      await setImmediate();
    }
    if (encoder.tail) parts.push(encoder.tail());
  } finally {
    encoder.release?.();
  }
  if (encoder.head) parts.unshift(encoder.head(lengthOf(parts)));
  const bytes = new Uint8Array(lengthOf(parts));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return {
    bytes,
    contentType,
    durationMs: Math.round((samples * 1000) / sampleRate),
  };
}

const lengthOf = (parts: readonly Uint8Array[]): number => parts.reduce((sum, part) => sum + part.length, 0);

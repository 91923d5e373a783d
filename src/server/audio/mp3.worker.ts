import { readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import { createEncoder } from 'wasm-media-encoders';
import { FULL_SCALE } from '#lib/pcm.ts';
import { serveCalls } from '#lib/worker-calls.ts';

type Lame = Awaited<ReturnType<typeof createEncoder<'audio/mpeg'>>>;

/** @param bitrate in kbit/s */
export interface Mp3Format {
  sampleRate: number;
  bitrate: number;
}

/** Of the scheduler of Linux. Encoding ahead of a listener may wait for the event loop and for speech. */
const NICENESS = 5;

// Linux lowers the calling thread alone, other systems the whole process.
if (process.platform === 'linux') setPriority(0, NICENESS);
// All encoders share compiled code, because the library's own function decodes and compiles it for each.
const bytes = await readFile(fileURLToPath(import.meta.resolve('wasm-media-encoders/wasm/mp3')));
const compiled = await WebAssembly.compile(bytes);
const encoders = new Map<number, Lame>();

const encoderOf = (id: number): Lame => {
  const lame = encoders.get(id);
  if (!lame) throw new Error(`There is no MP3 encoder ${id}.`);
  return lame;
};

/** Encoders by their numbers. Calls of one encoder follow one another. */
const thread = {
  /** Begins a stream, with a new encoder where this one does not exist. */
  async begin(id: number, { sampleRate, bitrate }: Mp3Format): Promise<void> {
    const lame = encoders.get(id) ?? (await createEncoder('audio/mpeg', compiled));
    encoders.set(id, lame);
    // The encoder's type lists the rates of the format, which are those of the callers.
    lame.configure({ sampleRate, bitrate: bitrate as 128, channels: 1 });
  },
  encode(id: number, samples: Int16Array): Uint8Array<ArrayBuffer> {
    const scaled = new Float32Array(samples.length);
    for (let at = 0; at < scaled.length; at += 1) scaled[at] = (samples[at] ?? 0) / FULL_SCALE;
    // Copies, because the output is a view, which would be cloned with all memory of the encoder.
    return encoderOf(id).encode([scaled]).slice();
  },
  /** Returns the last bytes of the stream. */
  end: (id: number): Uint8Array<ArrayBuffer> => encoderOf(id).finalize().slice(),
  drop: (id: number): void => void encoders.delete(id),
};
export type Mp3Thread = typeof thread;

serveCalls(workerData.port, thread);

import { remember } from '#lib/collections/maps.ts';
import { messageOf } from '#lib/message-of.ts';
import {
  AUDIO_ENCODINGS,
  type AudioEncoding,
  type CompressedEncoding,
  isCompressed,
} from '#protocol/core/audio-format.ts';

/** The result of a decoder library for some bytes. Its rate means nothing without samples. */
interface Decoded {
  channelData: readonly Float32Array[];
  samplesDecoded: number;
  sampleRate: number;
  errors: readonly { message: string }[];
}

/** An instance of a decoder, for one stream. */
interface Decoder {
  decode(bytes: Uint8Array): Decoded;
}

/** Decoded samples as bytes of `pcm_f32le`, one channel, or the fault of the bytes in words. */
export type DecodedBytes = { floats: Uint8Array } | { problem: string };

/**
 * The decoder of MP3 is mpg123 as WebAssembly, in browsers and in Node, because it decodes any cut of the bytes at once
 * and to the same samples everywhere. The browser's `AudioDecoder` answers later and only takes whole MP3 frames.
 */
async function openMp3(): Promise<Decoder> {
  // The package never answers where a policy forbids WebAssembly. The smallest module rejects there.
  await WebAssembly.compile(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return decoder;
}

/** Instances for streams that begin in one task. One takes 2 ms. */
const SPARE_DECODERS = 2;
/** Streams that keep their instance. Each reserves 17 MB of addresses, and uses less than 1 MB. */
const OPEN_STREAMS = 32;

/** Instances of one decoder, because an instance is made asynchronously and a stream begins synchronously. */
class DecoderPool {
  readonly #make: () => Promise<Decoder>;
  readonly #spare: Decoder[] = [];
  /** The stream that was decoded last is the last. */
  readonly #open = new Map<CompressedStream, Decoder>();
  #filling: Promise<void> | null = null;
  #failure: string | null = null;

  constructor(make: () => Promise<Decoder>) {
    this.#make = make;
  }

  get isReady(): boolean {
    return this.#spare.length > 0 || this.#failure !== null;
  }

  async ready(): Promise<void> {
    do await this.#fill();
    while (!this.isReady);
  }

  /** Returns the stream's instance, a new one for a new stream, or the reason in words why there is none. */
  decoderOf(stream: CompressedStream): Decoder | string {
    const known = this.#open.get(stream);
    const decoder = known ?? this.#spare.pop();
    // Audio may arrive after the end of its turn, so an end closes no stream.
    if (decoder) remember(this.#open, stream, decoder, OPEN_STREAMS);
    const failure = this.#failure;
    this.#failure = null;
    if (!known) void this.#fill();
    return decoder ?? failure ?? 'it is still loading';
  }

  /** Drops the stream's instance, whose memory is collected with it. */
  close(stream: CompressedStream): void {
    this.#open.delete(stream);
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#makeSpares().finally(() => {
      this.#filling = null;
    });
    return this.#filling;
  }

  async #makeSpares(): Promise<void> {
    try {
      while (this.#spare.length < SPARE_DECODERS) this.#spare.push(await this.#make());
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }
}

/** No vendor documents the container of its Opus, so the page records it and plays none. */
const openOpus = (): Promise<Decoder> =>
  Promise.reject(new Error('no vendor documents the container, so the page plays none'));

const POOLS: Readonly<Record<CompressedEncoding, DecoderPool>> = {
  mp3: new DecoderPool(openMp3),
  opus: new DecoderPool(openOpus),
};

/** Two of the longest MP3 frames: a decoder may skip the first, which can be a header of the encoder. */
const SILENT_BYTES = 2 * 1441;

/** The compressed audio of one turn, in bytes that are cut anywhere. */
export class CompressedStream {
  readonly #encoding: CompressedEncoding;
  readonly #sampleRate: number;
  #bytes = 0;
  #hasSamples = false;

  /** @param sampleRate in Hz, which the stream must have */
  constructor(encoding: CompressedEncoding, sampleRate: number) {
    this.#encoding = encoding;
    this.#sampleRate = sampleRate;
  }

  /** Decodes the next bytes, or finds a fault, which drops their samples. Later bytes may be good. */
  decode(bytes: Uint8Array): DecodedBytes {
    const { title } = AUDIO_ENCODINGS[this.#encoding];
    const pool = POOLS[this.#encoding];
    const decoder = pool.decoderOf(this);
    if (typeof decoder === 'string') return { problem: `The decoder of ${title} is missing: ${decoder}.` };
    try {
      return this.#checked(
        withoutConsole(() => decoder.decode(bytes)),
        bytes.length,
      );
    } catch (error) {
      this.close();
      return { problem: `The decoder of ${title} failed: ${messageOf(error)}.` };
    }
  }

  /** Releases the decoder. Later bytes begin another stream. */
  close(): void {
    POOLS[this.#encoding].close(this);
  }

  #checked({ channelData, samplesDecoded, sampleRate, errors }: Decoded, byteCount: number): DecodedBytes {
    const { title } = AUDIO_ENCODINGS[this.#encoding];
    this.#bytes += byteCount;
    this.#hasSamples ||= samplesDecoded > 0;
    const [error] = errors;
    if (error) return { problem: `The bytes are no valid ${title}: the decoder reports ${error.message}.` };
    if (!this.#hasSamples && this.#bytes > SILENT_BYTES) {
      return { problem: `Expected ${title}, got ${this.#bytes} bytes without a sample.` };
    }
    if (samplesDecoded > 0 && sampleRate !== this.#sampleRate) {
      return {
        problem: `The format of the connection names ${this.#sampleRate} Hz, the ${title} bytes are at ${sampleRate} Hz.`,
      };
    }
    return { floats: bytesOf(mixed(channelData, samplesDecoded)) };
  }
}

/** The package writes each fault to the console, beside its result. */
function withoutConsole<T>(decode: () => T): T {
  const { error } = console;
  console.error = () => {};
  try {
    return decode();
  } finally {
    console.error = error;
  }
}

/** Returns the mean of all channels in the first. A decoder may return one channel twice. */
function mixed(channels: readonly Float32Array[], length: number): Float32Array {
  const [mix = new Float32Array(length), ...others] = channels;
  for (const other of others)
    for (let at = 0; at < length; at += 1) mix[at] = (mix[at] ?? 0) + (other[at] ?? 0);
  for (let at = 0; at < length; at += 1) mix[at] = (mix[at] ?? 0) / channels.length;
  return mix;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Decoders of compressed audio in this thread. They load when they are first needed. */
export const decoders = {
  /**
   * Whether a frame can be given to a `PcmStore` now: its encoding is not compressed, an instance for a new stream is at
   * hand, or none can be loaded, which the store reports. An instance is taken by the first frame of a turn.
   */
  isReady: (encoding: AudioEncoding): boolean => !isCompressed(encoding) || POOLS[encoding].isReady,

  /**
   * Loads the decoder, and resolves once {@link decoders.isReady} is true and all instances at hand are made. Never rejects. Check
   * again: another turn may be faster.
   */
  ready: async (encoding: AudioEncoding): Promise<void> => {
    if (isCompressed(encoding)) await POOLS[encoding].ready();
  },
} as const;

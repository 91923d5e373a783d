import { decodeBase64Into, maxDecodedBytes } from '#lib/base64.ts';
import { AUDIBLE_MAGNITUDE, beginsWithWholeSample, leadingSilenceSamples } from '#lib/pcm.ts';
import { AUDIO_ENCODINGS, type AudioEncoding, isCompressed } from '#protocol/core/audio-format.ts';
import type { AudioPayload } from '#protocol/core/speech-event.ts';
import { CompressedStream } from './decoders.ts';

/** Samples of one block: 0.7 s at 24 kHz in 32 KiB. A short turn fills hardly more. */
const BLOCK_SAMPLES = 2 ** 14;
const BLOCK_BYTES = 2 * BLOCK_SAMPLES;

interface Block {
  bytes: Uint8Array<ArrayBuffer>;
  samples: Int16Array<ArrayBuffer>;
}

const blockOf = (buffer: ArrayBuffer): Block => ({
  bytes: new Uint8Array(buffer),
  samples: new Int16Array(buffer),
});

/** The number of whole samples that an audio frame added, or its fault in words. A faulty frame adds nothing. */
export type AppendResult = { samples: number } | { problem: string };

/** Bytes on the wire are little-endian, as on every machine that has a browser so far. */
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

const NO_BYTES = new Uint8Array(0);

/** Takes the samples that are only counted. */
const overwritten = blockOf(new ArrayBuffer(BLOCK_BYTES));

function joined(start: Uint8Array, end: Uint8Array): Uint8Array {
  const all = new Uint8Array(start.length + end.length);
  all.set(start);
  all.set(end, start.length);
  return all;
}

let scratch = new Uint8Array(2 ** 16);

/** A buffer of at least that many bytes, overwritten by the next call. */
function scratchOf(bytes: number): Uint8Array<ArrayBuffer> {
  if (scratch.length < bytes) scratch = new Uint8Array(2 * bytes);
  return scratch;
}

/** The received samples of a turn, in blocks. Counts bytes, because a frame may end within a sample. */
export class PcmStore {
  /** In Hz. */
  readonly sampleRate: number;
  readonly #blocks: Block[] = [];
  #bytes = 0;
  #silent = 0;
  /** The beginning of a sample that is decoded once its other bytes arrive. */
  #rest: Uint8Array = NO_BYTES;
  /** Null before the first compressed bytes. */
  #stream: CompressedStream | null = null;
  readonly #isCounted: boolean;

  /** @param samples `counted`: they are decoded and counted, and cannot be read */
  constructor(sampleRate: number, samples: 'kept' | 'counted' = 'kept') {
    this.sampleRate = sampleRate;
    this.#isCounted = samples === 'counted';
  }

  /** Whole samples. */
  get length(): number {
    return this.#bytes >> 1;
  }

  /** The first sample at or above −50 dBFS; null while there is none. */
  get firstAudibleSample(): number | null {
    while (this.#silent < this.length) {
      const view = this.view(this.#silent);
      const silent = leadingSilenceSamples(view, AUDIBLE_MAGNITUDE);
      this.#silent += silent;
      if (silent < view.length) return this.#silent;
    }
    return null;
  }

  /** Adds an audio frame. A frame of compressed audio is lost without a decoder at hand (`decoders.isReady`). */
  appendPayload(payload: AudioPayload, encoding: AudioEncoding): AppendResult {
    const before = this.length;
    const problem =
      'bytes' in payload
        ? this.#appendEncoded(payload.bytes, encoding)
        : this.#appendBase64(payload.base64, encoding);
    return problem === null ? { samples: this.length - before } : { problem };
  }

  /** Releases the decoder of compressed audio. Later bytes begin another stream. */
  close(): void {
    this.#stream?.close();
  }

  /** A view of samples from `from` on, up to the end of their block: at least one while `from` is below `length`. */
  view(from: number, most = BLOCK_SAMPLES): Int16Array<ArrayBuffer> {
    const at = from % BLOCK_SAMPLES;
    const count = Math.max(0, Math.min(most, this.length - from, BLOCK_SAMPLES - at));
    const block = this.#blocks[Math.floor(from / BLOCK_SAMPLES)];
    return block && count > 0 ? block.samples.subarray(at, at + count) : new Int16Array(0);
  }

  /** All samples in order, as views. */
  *blocks(): Generator<Int16Array> {
    for (let at = 0; at < this.length; at += BLOCK_SAMPLES) yield this.view(at);
  }

  /** A copy of the samples from `from` up to, and not including, `to`. */
  slice(from = 0, to = this.length): Int16Array<ArrayBuffer> {
    const end = Math.min(to, this.length);
    const copy = new Int16Array(Math.max(0, end - from));
    for (let at = from; at < end; ) {
      const view = this.view(at, end - at);
      copy.set(view, at - from);
      at += view.length;
    }
    return copy;
  }

  /** Releases the unused part of the last block, which most short turns hardly fill. Later audio is still added. */
  trim(): void {
    const at = Math.floor(this.#bytes / BLOCK_BYTES);
    const block = this.#blocks[at];
    const used = this.#bytes % BLOCK_BYTES;
    // Half a sample waits for its other half.
    const kept = used + (used % 2);
    if (block && kept < block.bytes.length) this.#blocks[at] = blockOf(block.bytes.buffer.slice(0, kept));
  }

  get #endsInSample(): boolean {
    return this.#bytes % 2 === 1;
  }

  #appendBase64(base64: string, encoding: AudioEncoding): string | null {
    const most = maxDecodedBytes(base64.length);
    const isPlain = encoding === 'pcm_s16le' && isLittleEndian && !this.#endsInSample;
    const direct = isPlain ? this.#roomInBlock(most) : null;
    const target = direct ?? scratchOf(most);
    const result = decodeBase64Into(base64, target);
    if ('problem' in result) return result.problem;
    if (!direct) return this.#appendEncoded(target.subarray(0, result.bytes), encoding);
    this.#rest = NO_BYTES;
    this.#bytes += result.bytes;
    return null;
  }

  /** Returns the fault of the bytes in words, if any. Only compressed ones can have one. */
  #appendEncoded(bytes: Uint8Array, encoding: AudioEncoding): string | null {
    if (isCompressed(encoding)) {
      this.#stream ??= new CompressedStream(encoding, this.sampleRate);
      const result = this.#stream.decode(bytes);
      if ('problem' in result) return result.problem;
      this.#rest = NO_BYTES;
      return this.#appendEncoded(result.floats, 'pcm_f32le');
    }
    const { bytesPerSample, decodeInto } = AUDIO_ENCODINGS[encoding];
    if (decodeInto) {
      this.#appendDecoded(bytes, bytesPerSample, decodeInto);
    } else {
      this.#rest = NO_BYTES;
      // A frame may have lost its last byte. Completed by the next frame, the rest of the turn would be noise.
      if (this.#endsInSample && beginsWithWholeSample(bytes)) this.#bytes -= 1;
      if (isLittleEndian) this.#appendBytes(bytes);
      else this.#appendSwapped(bytes);
    }
    return null;
  }

  #appendBytes(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      const block = this.#currentBlock();
      const at = this.#bytes % BLOCK_BYTES;
      const count = Math.min(bytes.length - from, BLOCK_BYTES - at);
      block.bytes.set(bytes.subarray(from, from + count), at);
      this.#bytes += count;
      from += count;
    }
  }

  #appendSwapped(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#currentBlock().bytes[(this.#bytes % BLOCK_BYTES) ^ 1] = byte;
      this.#bytes += 1;
    }
  }

  #appendDecoded(
    bytes: Uint8Array,
    size: number,
    decodeInto: (bytes: Uint8Array, target: Int16Array) => void,
  ): void {
    // Drops half a sample of another encoding, which is not followed by its second half.
    this.#bytes &= ~1;
    const all = this.#rest.length === 0 || size === 1 ? bytes : joined(this.#rest, bytes);
    const whole = all.length - (all.length % size);
    for (let from = 0; from < whole; ) {
      const block = this.#currentBlock();
      const at = (this.#bytes % BLOCK_BYTES) >> 1;
      const to = Math.min(whole, from + size * (BLOCK_SAMPLES - at));
      decodeInto(all.subarray(from, to), block.samples.subarray(at));
      this.#bytes += (2 * (to - from)) / size;
      from = to;
    }
    this.#rest = whole === all.length ? NO_BYTES : all.slice(whole);
  }

  #currentBlock(): Block {
    if (this.#isCounted) return overwritten;
    const at = Math.floor(this.#bytes / BLOCK_BYTES);
    const block = this.#blocks[at];
    if (block?.bytes.length === BLOCK_BYTES) return block;
    const whole = blockOf(new ArrayBuffer(BLOCK_BYTES));
    if (block) whole.bytes.set(block.bytes);
    this.#blocks[at] = whole;
    return whole;
  }

  /** The rest of the current block for decoding in place; null where that many bytes do not fit. */
  #roomInBlock(bytes: number): Uint8Array<ArrayBuffer> | null {
    const at = this.#bytes % BLOCK_BYTES;
    return bytes <= BLOCK_BYTES - at ? this.#currentBlock().bytes.subarray(at) : null;
  }
}

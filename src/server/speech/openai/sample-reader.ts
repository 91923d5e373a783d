import { SpeechFault } from './speech-fault.ts';

/** Rates that can be resampled without a large filter, in Hz. */
export const SOURCE_RATES: readonly number[] = [
  8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000,
];

/** Bytes that tell audio from something else. */
const SNIFFED_BYTES = 12;
/** A header ends here at the latest. Encoders write some hundred bytes before the audio. */
const MAX_HEADER_BYTES = 64 * 1024;
const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
const FORMAT_BYTES = 16;
const FORMAT_PCM = 1;
const FORMAT_EXTENSIBLE = 0xfffe;
/** A streaming encoder does not know its length and writes 0, the largest number, or one near it. */
const LEAST_UNKNOWN_LENGTH = 0x7fff_0000;

const MAGIC: Readonly<Record<string, string>> = {
  OggS: 'Ogg',
  fLaC: 'FLAC',
  'ID3\u0003': 'MP3',
  'ID3\u0004': 'MP3',
};

/**
 * Reads signed 16-bit little-endian mono samples from bytes that may be cut anywhere. Some servers send a WAV file for
 * `pcm`; its header is read and left out. Throws a SpeechFault for anything else.
 */
export class SampleReader {
  #sampleRate: number;
  /** Bytes of the beginning until it is known what they are; null afterwards. */
  #head: Uint8Array | null = new Uint8Array(0);
  /** First half of a sample. */
  #half: number | undefined;
  /** Bytes of audio that a WAV header promises and that are missing; infinite where it does not know. */
  #missing = Number.POSITIVE_INFINITY;

  /** @param sampleRate of audio without a header, in Hz */
  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  /** Final once there are samples. */
  get sampleRate(): number {
    return this.#sampleRate;
  }

  push(bytes: Uint8Array): Int16Array {
    if (this.#head === null) return this.#samples(bytes);
    const head = Buffer.concat([this.#head, bytes]);
    this.#head = head;
    if (head.length < SNIFFED_BYTES) return new Int16Array(0);
    const audio = this.#audioIn(head);
    if (audio === undefined) return new Int16Array(0);
    this.#head = null;
    return this.#samples(audio);
  }

  /** Ends the stream. Throws where audio is missing. @returns samples of a stream that is too short for a header */
  end(): Int16Array {
    const rest = this.#head === null ? new Int16Array(0) : this.#samples(this.#head);
    this.#head = null;
    if (Number.isFinite(this.#missing) && this.#missing > 0) {
      throw new SpeechFault('the speech server cut the audio off', { missingBytes: this.#missing });
    }
    return rest;
  }

  /** The stream ended within a sample. */
  get hasHalfSample(): boolean {
    return this.#half !== undefined;
  }

  #samples(bytes: Uint8Array): Int16Array {
    const audio = bytes.subarray(0, this.#missing);
    this.#missing -= audio.length;
    const joined =
      this.#half === undefined ? Buffer.from(audio) : Buffer.concat([Buffer.of(this.#half), audio]);
    const samples = new Int16Array(joined.length >> 1);
    for (let at = 0; at < samples.length; at += 1) samples[at] = joined.readInt16LE(2 * at);
    this.#half = joined.length % 2 === 0 ? undefined : joined.at(-1);
    return samples;
  }

  /** The audio bytes of the beginning; undefined while the header is incomplete. */
  #audioIn(head: Buffer): Uint8Array | undefined {
    const tag = (at: number) => head.toString('latin1', at, at + 4);
    if (tag(0) !== 'RIFF' || tag(8) !== 'WAVE') {
      const format = MAGIC[tag(0)];
      if (format) throw new SpeechFault(`the speech server sent ${format} instead of PCM`);
      if (isText(head)) throw new SpeechFault('the speech server sent text instead of audio');
      return head;
    }
    let described = false;
    let at = RIFF_HEADER_BYTES;
    while (at + CHUNK_HEADER_BYTES <= head.length && at < MAX_HEADER_BYTES) {
      const length = head.readUInt32LE(at + 4);
      const from = at + CHUNK_HEADER_BYTES;
      if (tag(at) === 'data') {
        if (!described) throw new SpeechFault('the speech server sent a WAV file without a format');
        if (length > 0 && length < LEAST_UNKNOWN_LENGTH) this.#missing = length;
        return head.subarray(from);
      }
      if (tag(at) === 'fmt ') {
        if (head.length < from + FORMAT_BYTES) return undefined;
        this.#describe(head.subarray(from));
        described = true;
      }
      // Chunks begin at even offsets.
      at = from + length + (length % 2);
    }
    if (at >= MAX_HEADER_BYTES) throw new SpeechFault('the speech server sent a WAV file without audio');
    return undefined;
  }

  #describe(format: Buffer): void {
    const encoding = format.readUInt16LE(0);
    const channels = format.readUInt16LE(2);
    const bits = format.readUInt16LE(14);
    const isPcm = encoding === FORMAT_PCM || encoding === FORMAT_EXTENSIBLE;
    if (!isPcm || channels !== 1 || bits !== 16) {
      throw new SpeechFault('the speech server sent another WAV format than 16-bit mono', {
        encoding,
        channels,
        bits,
      });
    }
    this.#sampleRate = sourceRate(format.readUInt32LE(4));
  }
}

/** Returns a rate that can be resampled. Throws a SpeechFault for another. */
export function sourceRate(hz: number): number {
  if (SOURCE_RATES.includes(hz)) return hz;
  throw new SpeechFault('the speech server sent audio at an unusual rate', { hz });
}

/** Printable ASCII throughout: as samples, it would be a loud click. */
const isText = (head: Buffer): boolean =>
  /^[\t\n\r\x20-\x7e]+$/.test(head.toString('latin1', 0, SNIFFED_BYTES));

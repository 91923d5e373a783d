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

/** What the next bytes are: a beginning that may be that of a file, chunks before the audio, audio, or what stands behind it. */
type Place = 'start' | 'chunk' | 'audio' | 'behind';

/**
 * Reads signed 16-bit little-endian mono samples from bytes that may be cut anywhere. Some servers send a WAV file for
 * `pcm`, or one behind the other; their headers are read and left out. Throws a SpeechFault for anything else.
 */
export class SampleReader {
  #sampleRate: number;
  #place: Place = 'start';
  /** Bytes that cannot be read without those that follow. */
  #rest: Buffer = Buffer.alloc(0);
  /** The bytes are WAV files. */
  #isFiles = false;
  /** Rate of a file whose samples were read; null before any. */
  #readRate: number | null = null;
  /** The header of the file has a format. */
  #isDescribed = false;
  #headerBytes = 0;
  /** Bytes of a chunk that is left out. */
  #skipped = 0;
  /** An odd chunk ended: most encoders fill it with a zero. */
  #mayBeFilled = false;
  /** First half of a sample. */
  #half: number | undefined;
  #hasHalfSample = false;
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

  /** The stream, or a file in it, ended within a sample. */
  get hasHalfSample(): boolean {
    return this.#hasHalfSample || this.#half !== undefined;
  }

  push(bytes: Uint8Array): Int16Array {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const parts: Int16Array[] = [];
    while (this.#readOn(parts));
    const samples = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
      samples.set(part, at);
      at += part.length;
    }
    return samples;
  }

  /** Ends the stream. Throws where audio is missing. @returns the samples of the last bytes */
  end(): Int16Array {
    const { length } = this.#rest;
    if (this.#place === 'chunk') throw new SpeechFault('the speech server sent a WAV file without audio');
    if (this.#place === 'audio') this.#missing -= length;
    if (this.#place === 'audio' && Number.isFinite(this.#missing) && this.#missing > 0) {
      throw new SpeechFault('the speech server cut the audio off', { missingBytes: this.#missing });
    }
    return this.#place === 'behind' ? new Int16Array() : this.#samples(this.#rest);
  }

  /** Reads a part of the bytes. @param parts receives its samples @returns whether more can be read */
  #readOn(parts: Int16Array[]): boolean {
    switch (this.#place) {
      case 'start':
        return this.#readStart();
      case 'chunk':
        return this.#readChunk();
      case 'audio':
        return this.#readAudio(parts);
      case 'behind':
        return this.#readBehind();
    }
  }

  #readStart(): boolean {
    const start = this.#rest;
    if (start.length < SNIFFED_BYTES) return false;
    if (fileIn(start) === 0) {
      this.#beginFile();
      return true;
    }
    const format = MAGIC[start.toString('latin1', 0, 4)];
    if (format) throw new SpeechFault(`the speech server sent ${format} instead of PCM`);
    if (isText(start)) throw new SpeechFault('the speech server sent text instead of audio');
    this.#place = 'audio';
    return true;
  }

  #beginFile(): void {
    if (this.#half !== undefined) this.#hasHalfSample = true;
    this.#half = undefined;
    this.#isFiles = true;
    this.#isDescribed = false;
    this.#mayBeFilled = false;
    this.#headerBytes = 0;
    this.#skipped = 0;
    this.#missing = Number.POSITIVE_INFINITY;
    this.#place = 'chunk';
    this.#take(RIFF_HEADER_BYTES);
  }

  #readChunk(): boolean {
    const skipped = this.#take(this.#skipped).length;
    this.#skipped -= skipped;
    this.#headerBytes += skipped;
    if (this.#headerBytes + this.#skipped >= MAX_HEADER_BYTES)
      throw new SpeechFault('the speech server sent a WAV file without audio');
    if (this.#skipped > 0 || this.#rest.length === 0) return false;
    if (this.#mayBeFilled && this.#rest[0] === 0) this.#headerBytes += this.#take(1).length;
    this.#mayBeFilled = false;
    if (this.#rest.length < CHUNK_HEADER_BYTES) return false;
    const tag = this.#rest.toString('latin1', 0, 4);
    const length = this.#rest.readUInt32LE(4);
    if (tag === 'data') {
      if (!this.#isDescribed) throw new SpeechFault('the speech server sent a WAV file without a format');
      if (length > 0 && length < LEAST_UNKNOWN_LENGTH) this.#missing = length;
      this.#place = 'audio';
      this.#take(CHUNK_HEADER_BYTES);
      return true;
    }
    if (tag === 'fmt ') {
      if (this.#rest.length < CHUNK_HEADER_BYTES + FORMAT_BYTES) return false;
      this.#describe(this.#rest.subarray(CHUNK_HEADER_BYTES));
    }
    this.#headerBytes += this.#take(CHUNK_HEADER_BYTES).length;
    this.#skipped = length;
    this.#mayBeFilled = length % 2 === 1;
    return true;
  }

  /** Reads audio up to its stated length or the next file, because lengths may be unknown or wrong. */
  #readAudio(parts: Int16Array[]): boolean {
    const next = this.#isFiles ? fileIn(this.#rest) : this.#rest.length;
    const read = this.#take(Math.min(next, this.#missing));
    parts.push(this.#samples(read));
    this.#missing -= read.length;
    if (this.#missing === 0) {
      this.#place = 'behind';
      return true;
    }
    if (this.#rest.length < RIFF_HEADER_BYTES) return false;
    this.#beginFile();
    return true;
  }

  /** Leaves out what stands behind the audio of a file, up to the next one. */
  #readBehind(): boolean {
    this.#take(fileIn(this.#rest));
    if (this.#rest.length < RIFF_HEADER_BYTES) return false;
    this.#beginFile();
    return true;
  }

  #samples(bytes: Uint8Array): Int16Array {
    if (bytes.length > 0) this.#readRate = this.#sampleRate;
    const whole =
      this.#half === undefined ? Buffer.from(bytes) : Buffer.concat([Buffer.of(this.#half), bytes]);
    const samples = new Int16Array(whole.length >> 1);
    for (let at = 0; at < samples.length; at += 1) samples[at] = whole.readInt16LE(2 * at);
    this.#half = whole.length % 2 === 0 ? undefined : whole.at(-1);
    return samples;
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
    const hz = sourceRate(format.readUInt32LE(4));
    if (this.#readRate !== null && this.#readRate !== hz)
      throw new SpeechFault('the speech server sent WAV files of several rates in one answer', { hz });
    this.#sampleRate = hz;
    this.#isDescribed = true;
  }

  #take(count: number): Buffer {
    const taken = this.#rest.subarray(0, count);
    this.#rest = this.#rest.subarray(taken.length);
    return taken;
  }
}

/** Where a WAV file begins, or may begin with the bytes that follow; the length where none does. */
function fileIn(bytes: Buffer): number {
  for (let at = bytes.indexOf('R'); at !== -1; at = bytes.indexOf('R', at + 1)) {
    const head = bytes.toString('latin1', at, at + RIFF_HEADER_BYTES);
    if ('RIFF'.startsWith(head.slice(0, 4)) && 'WAVE'.startsWith(head.slice(8))) return at;
  }
  return bytes.length;
}

/** Returns a rate that can be resampled. Throws a SpeechFault for another. */
export function sourceRate(hz: number): number {
  if (SOURCE_RATES.includes(hz)) return hz;
  throw new SpeechFault('the speech server sent audio at an unusual rate', { hz });
}

/** Printable ASCII throughout: as samples, it would be a loud click. */
const isText = (head: Buffer): boolean =>
  /^[\t\n\r\x20-\x7e]+$/.test(head.toString('latin1', 0, SNIFFED_BYTES));

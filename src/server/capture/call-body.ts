import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Frame } from '#protocol/core/frame.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import type { BodySize } from '#record/rest-calls.ts';

const MIB = 1024 * 1024;
/** Kept of one body, decompressed: three minutes of WAV at 24 kHz. */
const MAX_KEPT_BYTES = 8 * MIB;
/** A text, or an event of a stream, is recorded as one entry of at most this size. */
const MAX_PART_BYTES = MAX_MESSAGE_BYTES;
/** Memory of all bodies that wait for the end of their part. */
const MAX_WAITING_BYTES = 16 * MIB;

/** Memory of unfinished parts of all calls. A body that would exceed it is cut. */
export class WaitingParts {
  bytes = 0;

  hasRoom(bytes: number): boolean {
    return this.bytes + bytes <= MAX_WAITING_BYTES;
  }
}

interface CallBodyOptions {
  /** Names in lower case. */
  headers: Readonly<Record<string, unknown>>;
  /** Compressed requests are not read. */
  isAnswer: boolean;
  waiting: WaitingParts;
  /** Called with each part, whose bytes do not change. */
  record: (part: Frame) => void;
}

/** How a body is cut into parts: as it arrives, at the ends of events, or not at all. */
type Cutting = 'bytes' | 'events' | 'whole';

const EVENTS = /^(?:text\/event-stream|application\/(?:x-)?(?:ndjson|jsonl(?:ines)?))\b/i;
const BYTES = /^(?:audio|video|image|font|multipart)\/|^application\/(?:octet-stream|zip|gzip|pdf)\b/i;

function cuttingOf(contentType: string): Cutting {
  if (EVENTS.test(contentType)) return 'events';
  return BYTES.test(contentType) ? 'bytes' : 'whole';
}

/** An event ends with an empty line, a line of JSON with its own end. */
const END_OF_EVENT = /\r\n\r\n|\n\n|\r\r/g;
const END_OF_LINE = /\n/g;

/** Splits the body of a request or an answer into the parts that are recorded, while it passes. */
export class CallBody {
  /** As it was sent. */
  #bytes = 0;
  /** Decompressed. */
  #kept = 0;
  #isCut = false;
  readonly #cutting: Cutting;
  readonly #endOfPart: RegExp;
  readonly #decompressor: Transform | null;
  readonly #decoder = new TextDecoder();
  readonly #waiting: WaitingParts;
  readonly #record: (part: Frame) => void;
  /** Of a whole body. */
  #parts: Uint8Array<ArrayBuffer>[] = [];
  /** Of an event, and where the search for its end goes on. */
  #text = '';
  #from = 0;
  #held = 0;

  constructor({ headers, isAnswer, waiting, record }: CallBodyOptions) {
    const contentType = String(headers['content-type'] ?? '');
    this.#cutting = cuttingOf(contentType);
    this.#endOfPart = /event-stream/i.test(contentType) ? END_OF_EVENT : END_OF_LINE;
    this.#waiting = waiting;
    this.#record = record;
    const encoding = String(headers['content-encoding'] ?? PLAIN).toLowerCase();
    this.#decompressor = (isAnswer && DECOMPRESSORS.get(encoding)?.()) || null;
    // A body that cannot be read here may hold a key that nobody can find.
    this.#isCut = !this.#decompressor && encoding !== PLAIN;
    this.#decompressor?.on('data', (part: Buffer) => this.#take(new Uint8Array(part)));
    this.#decompressor?.on('error', () => this.#cut());
  }

  get size(): BodySize {
    return { bytes: this.#bytes, ...(this.#isCut ? { kept: this.#kept } : {}) };
  }

  /** @param part does not change afterwards */
  add(part: Uint8Array<ArrayBuffer>): void {
    this.#bytes += part.length;
    if (this.#isCut) return;
    if (!this.#decompressor) this.#take(part);
    // Parts that wait for the decompressor are memory as well.
    else if (this.#bytes > MAX_KEPT_BYTES) this.#cut();
    else this.#decompressor.write(part);
  }

  /** Records what waits of a body whose rest does not arrive. */
  breakOff(): void {
    this.#cut();
  }

  /** Records what waits. @param ended called once all is recorded, at once where nothing was compressed */
  end(ended: () => void): void {
    const last = () => {
      this.#flush();
      ended();
    };
    const decompressor = this.#decompressor;
    if (!decompressor || decompressor.closed) last();
    // Also after an error, such as that of a body without its end.
    else decompressor.once('close', last).end();
  }

  #take(part: Uint8Array<ArrayBuffer>): void {
    if (this.#isCut) return;
    const fits = this.#room(part.length);
    this.#kept += fits;
    this.#split(part.subarray(0, fits));
    if (fits < part.length) this.#cut();
  }

  #cut(): void {
    this.#isCut = true;
    this.#flush();
    this.#decompressor?.destroy();
  }

  /** Bytes of the next piece that are kept. */
  #room(bytes: number): number {
    const most = Math.min(bytes, MAX_KEPT_BYTES - this.#kept);
    if (this.#cutting === 'bytes') return most;
    if (!this.#waiting.hasRoom(bytes)) return 0;
    return Math.min(most, MAX_PART_BYTES - this.#held);
  }

  #split(part: Uint8Array<ArrayBuffer>): void {
    if (part.length === 0) return;
    if (this.#cutting === 'bytes') {
      this.#record(part);
      return;
    }
    this.#hold(this.#held + part.length);
    if (this.#cutting === 'whole') {
      this.#parts.push(part);
      return;
    }
    this.#text += this.#decoder.decode(part, { stream: true });
    let start = 0;
    this.#endOfPart.lastIndex = this.#from;
    while (this.#endOfPart.test(this.#text)) {
      this.#record(this.#text.slice(start, this.#endOfPart.lastIndex));
      start = this.#endOfPart.lastIndex;
    }
    this.#text = this.#text.slice(start);
    // The end may be split over two pieces.
    this.#from = Math.max(0, this.#text.length - 3);
    if (start > 0) this.#hold(Buffer.byteLength(this.#text));
  }

  #flush(): void {
    if (this.#cutting === 'whole' && this.#held > 0) {
      const whole = new Uint8Array(Buffer.concat(this.#parts));
      // The cut may be in the middle of a character.
      const isText = isUtf8(whole.subarray(0, endOfCharacters(whole)));
      this.#record(isText ? new TextDecoder().decode(whole) : whole);
    }
    const rest = this.#text + this.#decoder.decode();
    if (rest !== '') this.#record(rest);
    this.#text = '';
    this.#parts = [];
    this.#hold(0);
  }

  #hold(bytes: number): void {
    this.#waiting.bytes += bytes - this.#held;
    this.#held = bytes;
  }
}

/** The encoding of a body without compression. */
const PLAIN = 'identity';

const DECOMPRESSORS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Returns where the last character begins; the end where that is an ASCII one. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return bytes.length - back;
  }
  return bytes.length;
}

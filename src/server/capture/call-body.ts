import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Frame } from '#protocol/core/frame.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import type { BodySize } from '#trace/rest-calls.ts';
import { FairMemory, type HeldMemory, type Peer } from '../state/shares.ts';
import type { BodyPart } from './queued-body.ts';

const MIB = 1024 * 1024;
/** Kept of one body, decompressed: three minutes of WAV at 24 kHz. */
const MAX_KEPT_BYTES = 8 * MIB;
/** A text, or an event of a stream, is recorded as one entry of at most this size. */
const MAX_PART_BYTES = MAX_MESSAGE_BYTES;
/** Memory of all bodies that wait for the end of their part, or to be recorded. */
const MAX_WAITING_BYTES = 16 * MIB;

/** Memory of the parts of all calls that are unfinished, or not recorded yet. Of the address that holds most, the largest body is cut. */
export const waitingParts = (): FairMemory => new FairMemory(MAX_WAITING_BYTES);

interface CallBodyOptions {
  /** Names in lower case. */
  headers: Readonly<Record<string, unknown>>;
  /** Compressed requests are not read. */
  isAnswer: boolean;
  waiting: FairMemory;
  /** Who calls. */
  peer: Peer;
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

const LF = 0x0a;
const CR = 0x0d;
/** Of the memory of a part, which doubles as it grows, so that a part of many small pieces is copied in linear time. */
const FIRST_BYTES = 1024;

/** Splits the body of a request or an answer into the parts that are recorded, while it passes. */
export class CallBody {
  /** As it was sent. */
  #bytes = 0;
  /** Decompressed. */
  #kept = 0;
  #isCut = false;
  readonly #cutting: Cutting;
  /** A line of JSON ends with its line; an event with an empty one. */
  readonly #hasLines: boolean;
  readonly #decompressor: Transform | null;
  readonly #memory: HeldMemory;
  readonly #record: (part: Frame) => void;
  /** The unfinished part is in the first bytes. */
  #part = Buffer.alloc(0);
  #held = 0;
  /** The next part is the first one, which alone may begin with a byte order mark. */
  #isFirst = true;

  constructor({ headers, isAnswer, waiting, peer, record }: CallBodyOptions) {
    const contentType = String(headers['content-type'] ?? '');
    this.#cutting = cuttingOf(contentType);
    this.#hasLines = !/event-stream/i.test(contentType);
    this.#memory = waiting.hold(peer, () => this.#cut());
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

  add({ length, bytes }: BodyPart): void {
    this.#bytes += length;
    if (this.#isCut) return;
    // Parts that wait for the decompressor are memory as well.
    if (!bytes || (this.#decompressor && this.#bytes > MAX_KEPT_BYTES)) this.#cut();
    else if (this.#decompressor) this.#decompressor.write(bytes);
    else this.#take(bytes);
  }

  /** Records what waits of a body whose rest does not arrive. */
  breakOff(): void {
    this.#cut();
  }

  /** Records what waits. @param ended called once all is recorded, at once where nothing was compressed */
  end(ended: () => void): void {
    const last = () => {
      this.#flush();
      this.#memory.release();
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
    return Math.min(most, MAX_PART_BYTES - this.#held);
  }

  #split(part: Uint8Array<ArrayBuffer>): void {
    if (part.length === 0) return;
    if (this.#cutting === 'bytes') {
      this.#record(part);
      return;
    }
    let start = 0;
    if (this.#cutting === 'events') {
      for (let end = this.#endOfPart(part, start); end > 0; end = this.#endOfPart(part, start)) {
        this.#keep(part.subarray(start, end));
        this.#recordText();
        start = end;
      }
    }
    this.#keep(part.subarray(start));
    this.#memory.resize(this.#held);
  }

  /** Returns where the unfinished part ends in the next bytes, after its end; 0 where it goes on. */
  #endOfPart(bytes: Uint8Array, from: number): number {
    if (this.#hasLines) return bytes.indexOf(LF, from) + 1;
    for (let at = from; at < bytes.length; at += 1) {
      const [byte, before] = [bytes[at], this.#before(bytes, from, at - 1)];
      if ((byte === LF || byte === CR) && byte === before) return at + 1;
      const isEmptyLine = byte === LF && before === CR && this.#before(bytes, from, at - 2) === LF;
      if (isEmptyLine && this.#before(bytes, from, at - 3) === CR) return at + 1;
    }
    return 0;
  }

  /** A byte of the unfinished part, which began before these bytes. */
  #before(bytes: Uint8Array, from: number, at: number): number | undefined {
    return at >= from
      ? bytes[at]
      : this.#held + at - from >= 0
        ? this.#part[this.#held + at - from]
        : undefined;
  }

  #keep(bytes: Uint8Array): void {
    const held = this.#held + bytes.length;
    if (held > this.#part.length) {
      const grown = Buffer.alloc(Math.max(FIRST_BYTES, held, 2 * this.#part.length));
      grown.set(this.#part.subarray(0, this.#held));
      this.#part = grown;
    }
    this.#part.set(bytes, this.#held);
    this.#held = held;
  }

  #recordText(): void {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: !this.#isFirst });
    this.#isFirst = false;
    const text = decoder.decode(this.#part.subarray(0, this.#held));
    this.#held = 0;
    if (text !== '') this.#record(text);
  }

  #flush(): void {
    if (this.#held > 0) {
      const part = this.#part.subarray(0, this.#held);
      // The cut may be in the middle of a character.
      const isText = this.#cutting === 'events' || isUtf8(part.subarray(0, endOfCharacters(part)));
      if (isText) this.#recordText();
      else this.#record(new Uint8Array(part));
    }
    this.#part = Buffer.alloc(0);
    this.#held = 0;
    this.#memory.resize(0);
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

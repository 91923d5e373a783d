import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from '#protocol/core/frame.ts';
import type { RecordEntry, RecordHead } from '#trace/entry.ts';

/** Bytes that are written at once. */
const BUFFER_BYTES = 2 ** 20;
/** Bytes that are read at once. */
const WINDOW_BYTES = 2 ** 16;

/** Bytes as they are, and text with one or two bytes a character: UTF-8 has no halves of characters, which a frame may have. */
type Encoding = 'bytes' | 'latin1' | 'utf16le';

const IS_WIDE = /[^\0-\xff]/;

/**
 * Payloads of recordings in a temporary file, so that only the heads of entries take memory. The file has no name while it
 * is in use, so that nothing is left of it however the process ends.
 */
export class PayloadFile {
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #buffered = 0;
  /** A part of the file. */
  #window = Buffer.alloc(0);
  #windowAt = 0;
  #written = 0;

  constructor() {
    const directory = mkdtempSync(join(tmpdir(), 'voicewire-'));
    this.#file = openSync(join(directory, 'payloads'), 'w+');
    rmSync(directory, { recursive: true });
  }

  /** Returns the entry with its payload in this file. */
  keep(entry: RecordEntry): RecordEntry {
    return new KeptEntry(entry, this, this.add(entry.payload));
  }

  /** Returns where it is. */
  add(payload: Frame): Place {
    const encoding = typeof payload !== 'string' ? 'bytes' : IS_WIDE.test(payload) ? 'utf16le' : 'latin1';
    const bytes = encoding === 'utf16le' ? 2 * payload.length : payload.length;
    if (this.#buffered + bytes > BUFFER_BYTES) this.#flush();
    const at = this.#written + this.#buffered;
    if (bytes > BUFFER_BYTES) {
      this.#write(typeof payload === 'string' ? Buffer.from(payload, encoding as BufferEncoding) : payload);
    } else {
      if (typeof payload === 'string')
        this.#buffer.write(payload, this.#buffered, encoding as BufferEncoding);
      else this.#buffer.set(payload, this.#buffered);
      this.#buffered += bytes;
    }
    return { at, bytes, encoding };
  }

  read({ at, bytes, encoding }: Place): Frame {
    if (at + bytes > this.#written) this.#flush();
    const read = this.#windowOf(at, bytes);
    return encoding === 'bytes' ? new Uint8Array(read) : read.toString(encoding);
  }

  /** Reads ahead, because payloads are mostly read in their order. */
  #windowOf(at: number, bytes: number): Buffer {
    const from = at - this.#windowAt;
    if (from >= 0 && from + bytes <= this.#window.length) return this.#window.subarray(from, from + bytes);
    const length = Math.max(bytes, Math.min(WINDOW_BYTES, this.#written - at));
    const read = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file, read, done, length - done, at + done);
      if (count === 0) throw new Error('The temporary file of the recordings was cut off.');
      done += count;
    }
    if (length <= WINDOW_BYTES) {
      this.#window = read;
      this.#windowAt = at;
    }
    return read.subarray(0, bytes);
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#buffered);
    this.#buffered = 0;
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      from += writeSync(this.#file, bytes, from, bytes.length - from, this.#written + from);
    }
    this.#written += bytes.length;
  }
}

interface Place {
  at: number;
  bytes: number;
  encoding: Encoding;
}

class KeptEntry implements RecordEntry {
  readonly index: number;
  readonly atUs: number;
  readonly direction: RecordHead['direction'];
  readonly connection: number;
  readonly opcode: RecordHead['opcode'];
  readonly bytes: number;
  readonly kind: string;
  readonly turn: number | null;
  readonly context: string | null;
  readonly chunk: number | null;
  readonly audioMs: number | null;
  readonly #file: PayloadFile;
  readonly #at: number;
  readonly #length: number;
  readonly #encoding: Encoding;

  // A field for each, which takes less memory than an object.
  constructor(head: RecordHead, file: PayloadFile, { at, bytes, encoding }: Place) {
    this.index = head.index;
    this.atUs = head.atUs;
    this.direction = head.direction;
    this.connection = head.connection;
    this.opcode = head.opcode;
    this.bytes = head.bytes;
    this.kind = head.kind;
    this.turn = head.turn;
    this.context = head.context;
    this.chunk = head.chunk;
    this.audioMs = head.audioMs;
    this.#file = file;
    this.#at = at;
    this.#length = bytes;
    this.#encoding = encoding;
  }

  get payload(): Frame {
    return this.#file.read({ at: this.#at, bytes: this.#length, encoding: this.#encoding });
  }
}

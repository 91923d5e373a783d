import { messageOf } from '#lib/message-of.ts';
import { MAX_SERVER_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import type { RecordEntry, RecordingInfo } from '../entry.ts';
import { type ImportError, wrongLine } from './import-error.ts';
import { checked, parseJson, wrongAt } from './json.ts';
import {
  entryOf,
  entrySchema,
  FORMAT_VERSION,
  infoSchema,
  MAX_NAMES,
  NameLimit,
  plainEntryOf,
  recordOf,
} from './recording-schema.ts';

/**
 * The own format: UTF-8 text, one JSON value a line. The first line has the info, each further line is one entry, and the
 * last line counts them, so that a truncated file is detected.
 */
const RECORDING_FORMAT = 'voicewire-recording';

const headerSchema = z.object({
  format: z.literal(RECORDING_FORMAT),
  version: z.literal(FORMAT_VERSION),
  info: infoSchema,
});

const trailerSchema = z.object({ end: z.object({ entries: z.int().check(z.nonnegative()) }) });

const PIECE_CHARS = 1 << 16;

/** Yields the file in pieces of whole lines. */
export async function* writeRecording(
  info: RecordingInfo,
  entries: Iterable<RecordEntry> | AsyncIterable<RecordEntry>,
): AsyncGenerator<string, void, undefined> {
  let piece = line({ format: RECORDING_FORMAT, version: FORMAT_VERSION, info });
  let count = 0;
  for await (const entry of entries) {
    piece += line(recordOf(entry));
    count += 1;
    if (piece.length >= PIECE_CHARS) {
      yield piece;
      piece = '';
    }
  }
  yield piece + line({ end: { entries: count } });
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

export interface ReadLimits {
  /** Characters of one line, and with it of one payload. */
  lineChars: number;
  depth: number;
  entries: number;
  /** Kinds and contexts that differ. */
  names: number;
  totalChars: number;
  /** Reads up to a damaged line behind the first, and says so at the end. Otherwise such a line is an error. */
  salvages: boolean;
}

const READ_LIMITS: ReadLimits = {
  // JSON escapes the quotes of a message.
  lineChars: 2 * MAX_SERVER_MESSAGE_BYTES,
  depth: 8,
  entries: 2_000_000,
  names: MAX_NAMES,
  totalChars: 4 * 2 ** 30,
  salvages: false,
};

/** Values of one line; an entry has about a dozen. */
const MAX_VALUES_OF_LINE = 1000;

export interface RecordingEnd {
  /** From the first line, with counts of the entries that were read. */
  info: RecordingInfo;
  /** In words for people; empty where the file is whole. */
  warnings: string[];
}

/** Reads a file in parts, and holds at most one line. The id in its info is a claim; the store assigns a new one. */
export class RecordingReader {
  readonly #limits: ReadLimits;
  readonly #line: LineBuffer;
  readonly #names: NameLimit;
  #lineNumber = 0;
  #info: RecordingInfo | null = null;
  #end: { entries: number } | null = null;
  #entries = 0;
  #bytes = 0;
  #lastUs = 0;
  #chars = 0;
  /** Why reading ended early. */
  #damage: string | null = null;

  constructor(limits: Partial<ReadLimits> = {}) {
    this.#limits = { ...READ_LIMITS, ...limits };
    this.#line = new LineBuffer();
    this.#names = new NameLimit(this.#limits.names);
  }

  /** From the first line; null before it. */
  get info(): RecordingInfo | null {
    return this.#info;
  }

  /** Returns the entries that this part completes. @throws ImportError */
  push(text: string): RecordEntry[] {
    this.#chars += text.length;
    if (this.#chars > this.#limits.totalChars) {
      throw this.#wrong(`at most ${this.#limits.totalChars} characters in all`, 'more');
    }
    const entries: RecordEntry[] = [];
    if (this.#damage !== null) return entries;
    try {
      this.#pushTo(entries, text);
    } catch (error) {
      if (!this.breakOff(messageOf(error))) throw error;
    }
    return entries;
  }

  /**
   * The text cannot be read any further.
   * @returns false where that is an error, because nothing can be read of it, or damaged files are refused
   */
  breakOff(why: string): boolean {
    if (!this.#limits.salvages || !this.#info) return false;
    this.#damage ??= why;
    return true;
  }

  #pushTo(entries: RecordEntry[], text: string): void {
    let from = 0;
    for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
      this.#collect(text.slice(from, to));
      this.#read(this.#line.take(), entries);
      from = to + 1;
    }
    this.#collect(text.slice(from));
  }

  /** Ends the text. Returns the remaining entries. @throws ImportError */
  finish(): RecordingEnd & { entries: RecordEntry[] } {
    const entries: RecordEntry[] = [];
    const warnings: string[] = [];
    const rest = this.#damage === null ? this.#line.take() : '';
    if (rest !== '') {
      try {
        this.#read(rest, entries);
      } catch (error) {
        if (!this.#info || this.#end) throw error;
        warnings.push(`The file breaks off in the middle of line ${this.#lineNumber}, which is left out.`);
      }
    }
    const info = this.#info;
    if (!info) throw wrongLine(1, HEADER_WORDS, 'an empty file');
    const found = this.#entries;
    if (this.#damage !== null) {
      warnings.push(`${this.#damage} That line and everything behind it are left out.`);
    } else if (!this.#end) {
      warnings.push(
        `The file was cut off: its last line is missing. ${found} ${found === 1 ? 'entry' : 'entries'} could be read.`,
      );
    } else if (this.#end.entries !== found) {
      warnings.push(`The file says that it holds ${this.#end.entries} entries; there are ${found}.`);
    }
    const whole = warnings.length === 0;
    return {
      info: {
        ...info,
        entries: found,
        durationUs: whole ? Math.max(info.durationUs, this.#lastUs) : this.#lastUs,
        bytes: whole ? info.bytes : this.#bytes,
      },
      warnings,
      entries,
    };
  }

  #collect(part: string): void {
    if (this.#line.length + part.length > this.#limits.lineChars) {
      this.#lineNumber += 1;
      throw this.#wrong(`at most ${this.#limits.lineChars} characters in a line`, 'more');
    }
    this.#line.add(part);
  }

  #read(text: string, entries: RecordEntry[]): void {
    this.#lineNumber += 1;
    const clean = this.#lineNumber === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
    if (clean.trim() === '') return;
    const value = parseJson(
      clean,
      { depth: this.#limits.depth, values: MAX_VALUES_OF_LINE },
      this.#lineNumber,
    );
    if (!this.#info) this.#info = this.#header(value, clean);
    else if (this.#end) throw this.#wrong('nothing after the line that counts the entries', 'another line');
    else if (isTrailer(value)) this.#end = checked(trailerSchema, value, clean, this.#lineNumber).end;
    else entries.push(this.#entry(value, clean));
  }

  #header(value: unknown, text: string): RecordingInfo {
    if (typeof value !== 'object' || value === null || !('format' in value)) {
      throw this.#wrong(HEADER_WORDS, 'something else');
    }
    return checked(headerSchema, value, text, this.#lineNumber).info;
  }

  #entry(value: unknown, text: string): RecordEntry {
    const at = this.#lineNumber;
    if (this.#entries >= this.#limits.entries) {
      throw this.#wrong(`at most ${this.#limits.entries} entries`, 'more');
    }
    const entry = plainEntryOf(value, this.#entries) ?? this.#otherEntry(value, text);
    if (entry.atUs < this.#lastUs) {
      throw wrongAt(text, ['atUs'], `at least ${this.#lastUs}, as in the entry before`, `${entry.atUs}`, at);
    }
    const fewerNames = this.#names.take(entry);
    if (fewerNames !== null) throw this.#wrong(fewerNames, 'more');
    this.#entries += 1;
    this.#bytes += entry.bytes;
    this.#lastUs = entry.atUs;
    return entry;
  }

  /** An entry as other versions and programs write it. @throws ImportError for a wrong one */
  #otherEntry(value: unknown, text: string): RecordEntry {
    const record = checked(entrySchema, value, text, this.#lineNumber);
    const entry = entryOf(record, this.#entries);
    if ('field' in entry) throw wrongAt(text, [entry.field], entry.expected, entry.found, this.#lineNumber);
    return entry;
  }

  #wrong(expected: string, found: string): ImportError {
    return wrongLine(Math.max(1, this.#lineNumber), expected, found);
  }
}

const HEADER_WORDS = `a first line with "format": "${RECORDING_FORMAT}"`;
const BYTE_ORDER_MARK = '\ufeff';

const isTrailer = (value: unknown): boolean => typeof value === 'object' && value !== null && 'end' in value;

/** Joins the parts of a line once. */
class LineBuffer {
  length = 0;
  #parts: string[] = [];

  add(part: string): void {
    if (part === '') return;
    this.#parts.push(part);
    this.length += part.length;
  }

  take(): string {
    const [first = ''] = this.#parts;
    const text = this.#parts.length > 1 ? this.#parts.join('') : first;
    this.#parts.length = 0;
    this.length = 0;
    return text;
  }
}

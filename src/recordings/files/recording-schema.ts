import { decodeBase64, encodeBase64 } from '#lib/base64.ts';
import { z } from '#protocol/core/zod.ts';
import { withoutNamedSecrets } from '../format/named-secrets.ts';
import type { RecordEntry } from '../format/record.ts';

/**
 * What a recording's parts look like in files, ours and HAR alike. Everything is bounded: a file comes from anywhere.
 * Fields that are null in a {@link RecordEntry} are left out.
 */

/** More than any real name, id or address has. */
const MAX_NAME_CHARS = 1000;
const MAX_ADDRESS_CHARS = 8192;
const MAX_KIND_CHARS = 64;
const MAX_CONTEXT_CHARS = 4096;
const MAX_CONNECTIONS = 100_000;
/** Since 1970, which is the year 2255: up to there microseconds are whole numbers. */
export const MAX_TIME_S = 9_000_000_000;

export const FORMAT_VERSION = 1;

const count = z.int().nonnegative();
export const connectionSchema = z.int().positive().max(MAX_CONNECTIONS);

export const infoSchema = z.object({
  id: z.string().max(MAX_NAME_CHARS),
  name: z.string().max(MAX_NAME_CHARS),
  endpoint: z.string().max(MAX_NAME_CHARS),
  address: z.string().max(MAX_ADDRESS_CHARS),
  startedAtMs: z
    .number()
    .nonnegative()
    .max(MAX_TIME_S * 1000),
  durationUs: count,
  entries: count,
  bytes: count,
  pinned: z.boolean(),
});

/** What is told of an entry besides its direction, connection and payload. */
export const noteShape = {
  atUs: count,
  bytes: count,
  kind: z.string().min(1).max(MAX_KIND_CHARS),
  turn: count.nullish(),
  context: z.string().max(MAX_CONTEXT_CHARS).nullish(),
  chunk: z.number().nullish(),
  audioMs: z.number().nonnegative().nullish(),
};

export const entrySchema = z.object({
  ...noteShape,
  direction: z.literal(['out', 'in', 'connection', 'player']),
  connection: connectionSchema,
  opcode: z.literal(['text', 'binary', 'none']),
  /** Exactly one of the two. */
  text: z.string().optional(),
  base64: z.string().optional(),
});

export type EntryRecord = z.output<typeof entrySchema>;

/** As many kinds and contexts as a recording has connections, which is far more than any real one has. */
export const MAX_NAMES = 100_000;
/** Of those that differ, in all. */
const MAX_CHARS = 16 * 2 ** 20;

/** Kinds and contexts of a file: whoever opens it has all of them in memory, and in lists to choose from. */
export class NameLimit {
  readonly #most: number;
  readonly #names = new Set<string>();
  #chars = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes the names of an entry. Returns what was expected where these are too many, else null. */
  take({ kind, context }: { kind: string; context: string | null }): string | null {
    this.#add(kind);
    if (context !== null) this.#add(context);
    if (this.#names.size > this.#most) return `at most ${this.#most} different kinds and contexts`;
    return this.#chars > MAX_CHARS ? `at most ${MAX_CHARS} characters of kinds and contexts` : null;
  }

  #add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#chars += name.length;
  }
}

/** An entry as files carry it: without its index, which its place says, and without what is null. */
export function recordOf(entry: RecordEntry): EntryRecord {
  return {
    atUs: entry.atUs,
    direction: entry.direction,
    connection: entry.connection,
    opcode: entry.opcode,
    ...notesOf(entry),
    ...(typeof entry.payload === 'string'
      ? { text: entry.payload }
      : { base64: encodeBase64(entry.payload) }),
  };
}

/** The part of it that says what it is. */
export const notesOf = (entry: RecordEntry) => ({
  bytes: entry.bytes,
  kind: entry.kind,
  ...(entry.turn === null ? {} : { turn: entry.turn }),
  ...(entry.context === null ? {} : { context: entry.context }),
  ...(entry.chunk === null ? {} : { chunk: entry.chunk }),
  ...(entry.audioMs === null ? {} : { audioMs: entry.audioMs }),
});

/** What is wrong with a record that fits the schema. */
export interface RecordProblem {
  field: 'text' | 'base64';
  expected: string;
  found: string;
}

/** The entry back again, cleaned of secrets that have a name. */
export function entryOf(record: EntryRecord, index: number): RecordEntry | RecordProblem {
  const payload = payloadOf(record);
  if (typeof payload === 'object' && 'field' in payload) return payload;
  return {
    index,
    atUs: record.atUs,
    direction: record.direction,
    connection: record.connection,
    opcode: record.opcode,
    bytes: record.bytes,
    kind: record.kind,
    turn: record.turn ?? null,
    context: record.context ?? null,
    chunk: record.chunk ?? null,
    audioMs: record.audioMs ?? null,
    payload,
  };
}

function payloadOf({ opcode, text, base64 }: EntryRecord): RecordEntry['payload'] | RecordProblem {
  if (opcode !== 'binary') {
    if (base64 !== undefined)
      return { field: 'base64', expected: `no bytes with opcode ${opcode}`, found: 'some' };
    if (text === undefined) return { field: 'text', expected: 'the payload as a string', found: 'nothing' };
    return withoutNamedSecrets(text);
  }
  if (text !== undefined) return { field: 'text', expected: 'no text with opcode binary', found: 'some' };
  if (base64 === undefined) return { field: 'base64', expected: 'the payload in base64', found: 'nothing' };
  const decoded = decodeBase64(base64);
  return 'problem' in decoded
    ? { field: 'base64', expected: 'base64', found: `something else (${decoded.problem})` }
    : decoded.bytes;
}

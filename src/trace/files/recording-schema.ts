import { decodeBase64, encodeBase64 } from '#lib/base64.ts';
import { type Fields, isFields } from '#protocol/core/json-frame.ts';
import { z } from '#protocol/core/zod.ts';
import { MAX_CONTEXT_CHARS, type RecordEntry } from '../entry.ts';
import { withoutNamedSecrets } from '../secrets/named-secrets.ts';

/** Schemas of recordings in files, own and HAR. Everything is bounded. Fields that are null are left out. */

/** More than any real name, id or address has. */
const MAX_NAME_CHARS = 1000;
const MAX_ADDRESS_CHARS = 8192;
const MAX_KIND_CHARS = 64;
const MAX_CONNECTIONS = 100_000;
/** The year 2255, up to which microseconds since 1970 are exact numbers. */
export const MAX_TIME_S = 9_000_000_000;

export const FORMAT_VERSION = 1;

const count = z.int().check(z.nonnegative());
export const connectionSchema = z.int().check(z.positive(), z.lte(MAX_CONNECTIONS));

export const infoSchema = z.object({
  id: z.string().check(z.maxLength(MAX_NAME_CHARS)),
  name: z.pipe(z.string().check(z.maxLength(MAX_NAME_CHARS)), z.transform(withoutNamedSecrets)),
  endpoint: z.string().check(z.maxLength(MAX_NAME_CHARS)),
  address: z.pipe(z.string().check(z.maxLength(MAX_ADDRESS_CHARS)), z.transform(withoutNamedSecrets)),
  startedAtMs: z.number().check(z.nonnegative(), z.lte(MAX_TIME_S * 1000)),
  durationUs: count,
  entries: count,
  bytes: count,
  pinned: z.boolean(),
});

/** Fields of an entry besides its direction, connection and payload. */
export const noteShape = {
  atUs: count,
  bytes: count,
  kind: z.string().check(z.minLength(1), z.maxLength(MAX_KIND_CHARS)),
  turn: z._default(z.nullable(count), null),
  context: z._default(z.nullable(z.string().check(z.maxLength(MAX_CONTEXT_CHARS))), null),
  chunk: z._default(z.nullable(z.number()), null),
  audioMs: z._default(z.nullable(z.number().check(z.nonnegative())), null),
};

const DIRECTION_NAMES = ['out', 'in', 'connection', 'player'] as const;

export const entrySchema = z.object({
  ...noteShape,
  direction: z.literal(DIRECTION_NAMES),
  connection: connectionSchema,
  opcode: z.literal(['text', 'binary', 'none']),
  /** Exactly one of the two. */
  text: z.optional(z.string()),
  base64: z.optional(z.string()),
});

export type EntryRecord = z.output<typeof entrySchema>;

/** Limit of different kinds and contexts, far above any real recording. */
export const MAX_NAMES = 100_000;
const MAX_CHARS = 16 * 2 ** 20;

/** Bounds the kinds and contexts of a file, because the page lists all of them. */
export class NameLimit {
  readonly #most: number;
  readonly #names = new Set<string>();
  #chars = 0;

  /** @param most infinite for a reader that keeps no list of them */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds the names of an entry. Returns the expectation that they exceed, or null. */
  take({ kind, context }: { kind: string; context: string | null }): string | null {
    if (this.#most === Number.POSITIVE_INFINITY) return null;
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

/** Returns an entry as files contain it: without its index, which is its place, and without null fields. */
export function recordOf(entry: RecordEntry): z.input<typeof entrySchema> {
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

export const notesOf = (entry: RecordEntry) => ({
  bytes: entry.bytes,
  kind: entry.kind,
  ...(entry.turn === null ? {} : { turn: entry.turn }),
  ...(entry.context === null ? {} : { context: entry.context }),
  ...(entry.chunk === null ? {} : { chunk: entry.chunk }),
  ...(entry.audioMs === null ? {} : { audioMs: entry.audioMs }),
});

const DIRECTIONS: ReadonlySet<unknown> = new Set(DIRECTION_NAMES);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isAmount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/**
 * Returns the entry of a value that is as this version writes it: the same as {@link entrySchema} and {@link entryOf}, in a
 * fraction of their time, because a file may hold millions. Null for any other value, which the schema reads or explains.
 */
export function plainEntryOf(value: unknown, index: number): RecordEntry | null {
  if (!isFields(value)) return null;
  const { atUs, direction, connection, opcode, bytes, kind } = value;
  const { turn = null, context = null, chunk = null, audioMs = null } = value;
  const isHead =
    isCount(atUs) &&
    DIRECTIONS.has(direction) &&
    isCount(connection) &&
    connection > 0 &&
    connection <= MAX_CONNECTIONS &&
    (opcode === 'text' || opcode === 'binary' || opcode === 'none') &&
    isCount(bytes) &&
    typeof kind === 'string' &&
    kind !== '' &&
    kind.length <= MAX_KIND_CHARS &&
    (turn === null || isCount(turn)) &&
    (context === null || (typeof context === 'string' && context.length <= MAX_CONTEXT_CHARS)) &&
    (chunk === null || isAmount(chunk)) &&
    (audioMs === null || (isAmount(audioMs) && audioMs >= 0));
  if (!isHead) return null;
  const payload = plainPayloadOf(opcode, value);
  if (payload === null) return null;
  const heading = direction as RecordEntry['direction'];
  const head = { index, atUs, direction: heading, connection, opcode, bytes } as const;
  return { ...head, kind, turn, context, chunk, audioMs, payload };
}

function plainPayloadOf(
  opcode: RecordEntry['opcode'],
  { text, base64 }: Fields,
): RecordEntry['payload'] | null {
  if (opcode !== 'binary') {
    return typeof text === 'string' && base64 === undefined ? withoutNamedSecrets(text) : null;
  }
  if (typeof base64 !== 'string' || text !== undefined) return null;
  const decoded = decodeBase64(base64);
  return 'problem' in decoded ? null : decoded.bytes;
}

/** A fault that the schema cannot express. */
export interface RecordProblem {
  field: 'text' | 'base64';
  expected: string;
  found: string;
}

/** Returns the entry of a record, without named secrets. */
export function entryOf(record: EntryRecord, index: number): RecordEntry | RecordProblem {
  const { text, base64, ...head } = record;
  const payload = payloadOf(record);
  return typeof payload === 'object' && 'field' in payload ? payload : { ...head, index, payload };
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

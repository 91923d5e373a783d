import { wordList } from '#lib/word-list.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { Direction, RecordHead } from '#trace/entry.ts';
import { added, countOf, type FindingCount } from './finding-marks.ts';
import { Names } from './names.ts';

/**
 * The heads of a recording's entries. Lists, filters and folds read only heads; payloads are fetched where they are shown.
 * Turns, chunks and sizes have 32 bits; larger ones of a forged file are clamped.
 */
export class FrameIndex {
  readonly names = new Names();
  readonly #heads: RecordHead[] = [];
  /** By entry. Not stored, because a recording is checked whenever it is shown. */
  readonly #findings = new Map<number, FindingCount>();
  readonly #kinds = new Set<string>();
  readonly #contexts = new Set<string>();
  #bytes = 0;
  #lastTurn = 0;
  #connections = 0;

  get length(): number {
    return this.#heads.length;
  }

  /** Of all payloads on the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time of the last entry; 0 where there is none. */
  get durationUs(): number {
    return this.#heads.at(-1)?.atUs ?? 0;
  }

  /** All kinds and contexts in order of first use, and the highest turn and connection. */
  get facets(): Facets {
    return {
      kinds: [...this.#kinds],
      contexts: [...this.#contexts],
      lastTurn: this.#lastTurn,
      connections: this.#connections,
    };
  }

  /** Adds the next entry; its index is its place here. */
  append({
    atUs,
    direction,
    connection,
    opcode,
    bytes,
    kind,
    turn,
    context,
    chunk,
    audioMs,
  }: Omit<RecordHead, 'index'>): void {
    this.#push({
      index: this.length,
      atUs,
      direction,
      connection: Math.min(connection, MAX_NUMBER),
      opcode,
      bytes: Math.min(bytes, MAX_NUMBER),
      kind: this.#shared(kind),
      turn: turn && Math.min(turn, MAX_NUMBER),
      context: context === null ? null : this.#shared(context),
      chunk: chunk && clampChunk(chunk),
      audioMs,
    });
  }

  /** @throws RangeError where there is no such entry */
  head(index: number): Readonly<RecordHead> {
    const head = this.#heads[index];
    if (!head) throw new RangeError(`There is no entry ${index} of ${this.length}.`);
    return head;
  }

  has(index: number): boolean {
    return index in this.#heads;
  }

  isAudio(index: number): boolean {
    return this.#heads[index]?.kind === AUDIO_KIND;
  }

  isBinary(index: number): boolean {
    return this.#heads[index]?.opcode === 'binary';
  }

  isProblem(index: number): boolean {
    return PROBLEM_KINDS.has(this.#heads[index]?.kind ?? '');
  }

  /** Returns the findings of the entry; null if there are none so far. */
  findings(index: number): FindingCount | null {
    return this.#findings.get(index) ?? null;
  }

  hasFinding(index: number, withAdvice: boolean): boolean {
    const found = this.#findings.get(index);
    return found !== undefined && (withAdvice || found.grave > 0);
  }

  markFinding(index: number, severity: Severity): void {
    const { index: entry } = this.head(index);
    const found = added(this.findings(entry), countOf(severity));
    if (found) this.#findings.set(entry, found);
  }

  clearFindings(): void {
    this.#findings.clear();
  }

  /**
   * Returns the nearest entry with a finding, cyclically; −1 where there is none.
   * @param from the entry to start behind; −1: beyond either end
   * @param step 1: onwards, −1: backwards
   */
  nextFinding(from: number, step: 1 | -1, withAdvice: boolean): number {
    const { length } = this;
    const start = from < 0 && step === -1 ? length : from;
    for (let gone = 1; gone <= length; gone += 1) {
      const index = (((start + gone * step) % length) + length) % length;
      if (this.hasFinding(index, withAdvice)) return index;
    }
    return -1;
  }

  /** Returns entries `from` to `to` (exclusive) as they are stored: column by column, little-endian. */
  pack(from: number, to: number): Uint8Array<ArrayBuffer> {
    const count = to - from;
    const packed = new Uint8Array(count * ENTRY_BYTES);
    const columns = columnsOf(packed, count);
    for (let at = 0; at < count; at += 1) {
      const head = this.head(from + at);
      columns.atUs.set(at, head.atUs);
      columns.audioMs.set(at, head.audioMs ?? Number.NaN);
      columns.bytes.set(at, head.bytes);
      columns.connection.set(at, head.connection);
      columns.turn.set(at, head.turn ?? NONE);
      columns.chunk.set(at, head.chunk ?? NO_CHUNK);
      columns.kind.set(at, this.names.numberOf(head.kind));
      columns.context.set(at, head.context === null ? NONE : this.names.numberOf(head.context));
      columns.flags.set(
        at,
        DIRECTIONS.indexOf(head.direction) | (OPCODES.indexOf(head.opcode) << OPCODE_SHIFT),
      );
    }
    return packed;
  }

  /**
   * Adds entries that `pack` returned.
   * @param names the names that were new in these entries
   * @throws RangeError where the bytes are no whole number of entries, or an entry has an unknown name
   */
  appendPacked(packed: Uint8Array, names: readonly string[]): void {
    const count = packed.length / ENTRY_BYTES;
    if (!Number.isInteger(count))
      throw new RangeError(`${packed.length} bytes are no whole number of entries of ${ENTRY_BYTES}.`);
    for (const name of names) this.names.numberOf(name);
    const columns = columnsOf(packed, count);
    const heads = Array.from({ length: count }, (_, at): RecordHead => {
      const flags = columns.flags.get(at);
      const [turn, context, chunk] = [columns.turn.get(at), columns.context.get(at), columns.chunk.get(at)];
      const audioMs = columns.audioMs.get(at);
      return {
        index: this.length + at,
        atUs: columns.atUs.get(at),
        direction: DIRECTIONS[flags & DIRECTION_MASK] ?? 'connection',
        connection: columns.connection.get(at),
        opcode: OPCODES[(flags & OPCODE_MASK) >> OPCODE_SHIFT] ?? 'none',
        bytes: columns.bytes.get(at),
        kind: this.names.nameOf(columns.kind.get(at)),
        turn: turn === NONE ? null : turn,
        context: context === NONE ? null : this.names.nameOf(context),
        chunk: chunk === NO_CHUNK ? null : chunk,
        audioMs: Number.isNaN(audioMs) ? null : audioMs,
      };
    });
    for (const head of heads) this.#push(head);
  }

  #push(head: RecordHead): void {
    this.#heads.push(head);
    this.#bytes += head.bytes;
    this.#kinds.add(head.kind);
    if (head.context !== null) this.#contexts.add(head.context);
    this.#lastTurn = Math.max(this.#lastTurn, head.turn ?? 0);
    this.#connections = Math.max(this.#connections, head.connection);
  }

  /** The name once for all entries, because each message between threads has a copy of its own. */
  #shared(name: string): string {
    return this.names.nameOf(this.names.numberOf(name));
  }
}

/** Whether both are audio that went the same way for the same turn of the same context. */
export const isSameAudio = (a: RecordHead, b: RecordHead): boolean =>
  a.kind === AUDIO_KIND &&
  b.kind === AUDIO_KIND &&
  a.direction === b.direction &&
  a.connection === b.connection &&
  a.context === b.context &&
  a.turn === b.turn;

/** The values that a filter can choose from. */
export interface Facets {
  kinds: string[];
  contexts: string[];
  lastTurn: number;
  connections: number;
}

/** Stored turn or context of an entry that belongs to none. */
const NONE = 0xffff_ffff;
const MAX_NUMBER = NONE - 1;
/** Stored chunk of an entry that belongs to none. */
const NO_CHUNK = -0x8000_0000;

const clampChunk = (chunk: number): number =>
  Math.max(NO_CHUNK + 1, Math.min(0x7fff_ffff, Math.trunc(chunk)));

/** In the order of their numbers in the flags. */
const DIRECTIONS: readonly Direction[] = ['out', 'in', 'connection', 'player'];
const OPCODES: readonly RecordHead['opcode'][] = ['text', 'binary', 'none'];
const DIRECTION_MASK = 0b11;
const OPCODE_SHIFT = 2;
/** Earlier versions set two more bits. */
const OPCODE_MASK = 0b1100;

/** The kind of an entry that is mostly audio; see {@link RecordHead.kind}. */
const AUDIO_KIND = 'audio';

const PROBLEM_KINDS: ReadonlySet<string> = new Set(
  wordList('error warning malformed unknown failed underrun'),
);

/** The order in which columns are stored, and never changed without a new version of the database. */
const COLUMNS = {
  atUs: 'Float64',
  audioMs: 'Float64',
  bytes: 'Uint32',
  connection: 'Uint32',
  turn: 'Uint32',
  chunk: 'Int32',
  kind: 'Uint32',
  context: 'Uint32',
  flags: 'Uint8',
} as const;

const SIZES = { Float64: 8, Uint32: 4, Int32: 4, Uint8: 1 } as const;

/** Of an entry as `pack` returns it. */
export const ENTRY_BYTES = Object.values(COLUMNS).reduce((sum, type) => sum + SIZES[type], 0);

interface Column {
  get(at: number): number;
  set(at: number, value: number): void;
}

function columnsOf(packed: Uint8Array, count: number): Record<keyof typeof COLUMNS, Column> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let start = 0;
  const columns = Object.entries(COLUMNS).map(([name, type]): [string, Column] => {
    const [first, size] = [start, SIZES[type]];
    start += count * size;
    return [
      name,
      {
        get: (at) => view[`get${type}`](first + at * size, true),
        set: (at, value) => view[`set${type}`](first + at * size, value, true),
      },
    ];
  });
  return Object.fromEntries(columns) as Record<keyof typeof COLUMNS, Column>;
}

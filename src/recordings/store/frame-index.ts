import { wordList } from '#lib/word-list.ts';
import type { Severity } from '#protocol/core/rule.ts';
import type { Direction, RecordHead } from '#trace/entry.ts';
import { ANY_FINDING, countOf, type FindingCount, GRAVE_FINDING, withFinding } from './finding-marks.ts';
import { Names } from './names.ts';

/**
 * The heads of a recording's entries in typed arrays, at 42 bytes an entry. Lists, filters and folds read only heads;
 * payloads are fetched where they are shown. Turns, chunks and sizes have 32 bits; larger ones of a forged file are
 * clamped.
 */
export class FrameIndex {
  readonly names = new Names();
  readonly #blocks: IndexBlock[] = [];
  /** Numbers of the names that are kinds, and of those that are contexts. */
  readonly #kinds = new Set<number>();
  readonly #contexts = new Set<number>();
  #length = 0;
  #bytes = 0;
  #lastTurn = 0;
  #connections = 0;

  get length(): number {
    return this.#length;
  }

  /** Of all payloads on the wire. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time of the last entry; 0 where there is none. */
  get durationUs(): number {
    return this.#length === 0 ? 0 : this.atUs(this.#length - 1);
  }

  /** All kinds and contexts in order of first use, and the highest turn and connection. */
  get facets(): Facets {
    const nameOf = (number: number): string => this.names.nameOf(number);
    return {
      kinds: [...this.#kinds].map(nameOf),
      contexts: [...this.#contexts].map(nameOf),
      lastTurn: this.#lastTurn,
      connections: this.#connections,
    };
  }

  /** Adds the next entry; its index is its place here. */
  append(head: Omit<RecordHead, 'index'>): void {
    const block = this.#room();
    const at = this.#length & (BLOCK_ENTRIES - 1);
    block.atUs[at] = head.atUs;
    block.audioMs[at] = head.audioMs ?? Number.NaN;
    block.bytes[at] = Math.min(head.bytes, MAX_NUMBER);
    block.connection[at] = Math.min(head.connection, MAX_NUMBER);
    block.turn[at] = head.turn === null ? NONE : Math.min(head.turn, MAX_NUMBER);
    block.chunk[at] = head.chunk === null ? NO_CHUNK : clampChunk(head.chunk);
    block.kind[at] = this.names.numberOf(head.kind);
    block.context[at] = head.context === null ? NONE : this.names.numberOf(head.context);
    block.flags[at] =
      DIRECTIONS.indexOf(head.direction) |
      (OPCODES.indexOf(head.opcode) << OPCODE_SHIFT) |
      (PROBLEM_KINDS.has(head.kind) ? PROBLEM : 0) |
      (head.kind === AUDIO_KIND ? AUDIO : 0);
    this.#length += 1;
    this.#note(block, at);
  }

  head(index: number): RecordHead {
    const { block, at } = this.#find(index);
    const flags = block.flags[at] ?? 0;
    const turn = block.turn[at] ?? NONE;
    const context = block.context[at] ?? NONE;
    const chunk = block.chunk[at] ?? NO_CHUNK;
    const audioMs = block.audioMs[at] ?? Number.NaN;
    return {
      index,
      atUs: block.atUs[at] ?? 0,
      direction: DIRECTIONS[flags & DIRECTION_MASK] ?? 'connection',
      connection: block.connection[at] ?? 0,
      opcode: OPCODES[(flags & OPCODE_MASK) >> OPCODE_SHIFT] ?? 'none',
      bytes: block.bytes[at] ?? 0,
      kind: this.names.nameOf(block.kind[at] ?? 0),
      turn: turn === NONE ? null : turn,
      context: context === NONE ? null : this.names.nameOf(context),
      chunk: chunk === NO_CHUNK ? null : chunk,
      audioMs: Number.isNaN(audioMs) ? null : audioMs,
    };
  }

  has(index: number): boolean {
    return Number.isInteger(index) && index >= 0 && index < this.#length;
  }

  atUs(index: number): number {
    const { block, at } = this.#find(index);
    return block.atUs[at] ?? 0;
  }

  isAudio(index: number): boolean {
    return (this.#flags(index) & AUDIO) !== 0;
  }

  isBinary(index: number): boolean {
    return (this.#flags(index) & OPCODE_MASK) >> OPCODE_SHIFT === BINARY;
  }

  /** Whether both are audio that went the same way for the same turn of the same context. */
  isSameAudio(one: number, other: number): boolean {
    const a = this.#find(one);
    const b = this.#find(other);
    return isSameAudio(a.block, a.at, b.block, b.at);
  }

  /**
   * Which entries of a list go on with the audio of the one listed before; see {@link isSameAudio}.
   * @param entries indexes, ascending
   * @param before the entry listed before the first of them; −1 if there is none
   * @param goesOn takes 1 for each that does, else 0
   */
  findRuns(entries: Uint32Array, before: number, goesOn: Uint8Array): void {
    let last = before;
    let lastBlock = last < 0 ? undefined : this.#blocks[last >>> BLOCK_BITS];
    for (let i = 0; i < entries.length; i += 1) {
      const entry = entries[i] ?? 0;
      const block: IndexBlock | undefined = this.#blocks[entry >>> BLOCK_BITS];
      goesOn[i] =
        block && lastBlock && isSameAudio(block, entry & PLACE_MASK, lastBlock, last & PLACE_MASK) ? 1 : 0;
      last = entry;
      lastBlock = block;
    }
  }

  isProblem(index: number): boolean {
    return (this.#flags(index) & PROBLEM) !== 0;
  }

  /** Returns the findings of the entry; null if there are none so far. */
  findings(index: number): FindingCount | null {
    const { block, at } = this.#find(index);
    return countOf(block.findings[at] ?? 0);
  }

  /** Marks a finding in the entry. Not stored, because a recording is checked whenever it is shown. */
  markFinding(index: number, severity: Severity): void {
    const { block, at } = this.#find(index);
    block.findings[at] = withFinding(block.findings[at] ?? 0, severity);
  }

  clearFindings(): void {
    for (const { findings } of this.#blocks) findings.fill(0);
  }

  /**
   * Returns the nearest entry with a finding, cyclically; −1 where there is none.
   * @param from the entry to start behind; −1: beyond either end
   * @param step 1: onwards, −1: backwards
   */
  nextFinding(from: number, step: 1 | -1, withAdvice: boolean): number {
    const wanted = withAdvice ? ANY_FINDING : GRAVE_FINDING;
    const length = this.#length;
    const start = from < 0 && step === -1 ? length : from;
    for (let gone = 1; gone <= length; gone += 1) {
      const index = (((start + gone * step) % length) + length) % length;
      const marks = this.#blocks[index >>> BLOCK_BITS]?.findings[index & (BLOCK_ENTRIES - 1)] ?? 0;
      if ((marks & wanted) !== 0) return index;
    }
    return -1;
  }

  /** Visits entries `from` to `to` (exclusive) by blocks. @param look gets places in the columns, and the index of place 0 */
  eachBlock(
    from: number,
    to: number,
    look: (block: Readonly<IndexBlock>, start: number, end: number, first: number) => void,
  ): void {
    for (let entry = from; entry < to; ) {
      const block = this.#blocks[entry >>> BLOCK_BITS];
      if (!block) return;
      const start = entry & (BLOCK_ENTRIES - 1);
      const end = Math.min(BLOCK_ENTRIES, start + to - entry);
      look(block, start, end, entry - start);
      entry += end - start;
    }
  }

  /** Returns entries `from` to `to` (exclusive) as they are stored: column by column, little-endian. */
  pack(from: number, to: number): Uint8Array<ArrayBuffer> {
    const count = to - from;
    const packed = new Uint8Array(count * ENTRY_BYTES);
    let column = 0;
    for (const { name, size } of COLUMNS) {
      for (let index = from; index < to; ) {
        const { block, at } = this.#find(index);
        const taken = Math.min(BLOCK_ENTRIES - at, to - index);
        packed.set(bytesOf(block[name], at, taken), column + (index - from) * size);
        index += taken;
      }
      column += count * size;
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
    const first = this.#length;
    for (let done = 0; done < count; ) {
      const block = this.#room();
      const at = this.#length & (BLOCK_ENTRIES - 1);
      const taken = Math.min(BLOCK_ENTRIES - at, count - done);
      let column = 0;
      for (const { name, size } of COLUMNS) {
        const from = column + done * size;
        bytesOf(block[name], at, taken).set(packed.subarray(from, from + taken * size));
        column += count * size;
      }
      this.#length += taken;
      done += taken;
    }
    this.#checkNames(first);
    for (let index = first; index < this.#length; index += 1) {
      const { block, at } = this.#find(index);
      this.#note(block, at);
    }
  }

  #note(block: IndexBlock, at: number): void {
    this.#bytes += block.bytes[at] ?? 0;
    this.#kinds.add(block.kind[at] ?? 0);
    const context = block.context[at] ?? NONE;
    if (context !== NONE) this.#contexts.add(context);
    const turn = block.turn[at] ?? NONE;
    if (turn !== NONE && turn > this.#lastTurn) this.#lastTurn = turn;
    this.#connections = Math.max(this.#connections, block.connection[at] ?? 0);
  }

  #checkNames(from: number): void {
    const { size } = this.names;
    for (let index = from; index < this.#length; index += 1) {
      const { block, at } = this.#find(index);
      const context = block.context[at] ?? NONE;
      if ((block.kind[at] ?? 0) < size && (context === NONE || context < size)) continue;
      this.#length = from;
      throw new RangeError(`Entry ${index} has a name that was not stored.`);
    }
  }

  #room(): IndexBlock {
    const number = Math.floor(this.#length / BLOCK_ENTRIES);
    const block = this.#blocks[number] ?? newBlock();
    this.#blocks[number] = block;
    return block;
  }

  #flags(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]?.flags[index & (BLOCK_ENTRIES - 1)] ?? 0;
  }

  #find(index: number): { block: IndexBlock; at: number } {
    const block = index >= 0 && index < this.#length ? this.#blocks[index >>> BLOCK_BITS] : undefined;
    if (!block) throw new RangeError(`There is no entry ${index} of ${this.#length}.`);
    return { block, at: index & (BLOCK_ENTRIES - 1) };
  }
}

/** The values that a filter can choose from. */
export interface Facets {
  kinds: string[];
  contexts: string[];
  lastTurn: number;
  connections: number;
}

/** Few blocks for a long recording, and little memory for a short one. */
const BLOCK_BITS = 14;
export const BLOCK_ENTRIES = 1 << BLOCK_BITS;

const PLACE_MASK = BLOCK_ENTRIES - 1;

/** Turn or context of an entry that belongs to none. */
export const NONE = 0xffff_ffff;
const MAX_NUMBER = NONE - 1;
/** Chunk of an entry that belongs to none. */
const NO_CHUNK = -0x8000_0000;

const clampChunk = (chunk: number): number =>
  Math.max(NO_CHUNK + 1, Math.min(0x7fff_ffff, Math.trunc(chunk)));

/** In the order of their numbers in the flags. */
const DIRECTIONS: readonly Direction[] = ['out', 'in', 'connection', 'player'];
const OPCODES: readonly RecordHead['opcode'][] = ['text', 'binary', 'none'];
const BINARY = OPCODES.indexOf('binary');
export const DIRECTION_MASK = 0b11;
const OPCODE_SHIFT = 2;
const OPCODE_MASK = 0b1100;
/** Flag of an entry that the filter for problems lists. */
export const PROBLEM = 0b1_0000;

const AUDIO = 0b10_0000;
/** The kind of an entry that is mostly audio; see {@link RecordHead.kind}. */
const AUDIO_KIND = 'audio';

const PROBLEM_KINDS: ReadonlySet<string> = new Set(
  wordList('error warning malformed unknown failed underrun'),
);

const isSameAudio = (a: Readonly<IndexBlock>, i: number, b: Readonly<IndexBlock>, j: number): boolean => {
  const flags = a.flags[i] ?? 0;
  return (
    (flags & AUDIO) !== 0 &&
    ((flags ^ (b.flags[j] ?? 0)) & (AUDIO | DIRECTION_MASK)) === 0 &&
    a.connection[i] === b.connection[j] &&
    a.context[i] === b.context[j] &&
    a.turn[i] === b.turn[j]
  );
};

export const directionNumber = (direction: Direction): number => DIRECTIONS.indexOf(direction);

const newBlock = () => ({
  atUs: new Float64Array(BLOCK_ENTRIES),
  audioMs: new Float64Array(BLOCK_ENTRIES),
  bytes: new Uint32Array(BLOCK_ENTRIES),
  connection: new Uint32Array(BLOCK_ENTRIES),
  turn: new Uint32Array(BLOCK_ENTRIES),
  chunk: new Int32Array(BLOCK_ENTRIES),
  kind: new Uint32Array(BLOCK_ENTRIES),
  context: new Uint32Array(BLOCK_ENTRIES),
  flags: new Uint8Array(BLOCK_ENTRIES),
  /** A {@link FindingMark} each; the one column that is not stored. */
  findings: new Uint8Array(BLOCK_ENTRIES),
});

export type IndexBlock = ReturnType<typeof newBlock>;

/** The order in which columns are stored: widest first, and never changed without a new version of the database. */
const COLUMNS: readonly { name: keyof IndexBlock; size: number }[] = [
  { name: 'atUs', size: 8 },
  { name: 'audioMs', size: 8 },
  { name: 'bytes', size: 4 },
  { name: 'connection', size: 4 },
  { name: 'turn', size: 4 },
  { name: 'chunk', size: 4 },
  { name: 'kind', size: 4 },
  { name: 'context', size: 4 },
  { name: 'flags', size: 1 },
];

/** Of an entry as `pack` returns it. */
export const ENTRY_BYTES = COLUMNS.reduce((sum, { size }) => sum + size, 0);

const bytesOf = (column: IndexBlock[keyof IndexBlock], at: number, count: number): Uint8Array =>
  new Uint8Array(
    column.buffer,
    column.byteOffset + at * column.BYTES_PER_ELEMENT,
    count * column.BYTES_PER_ELEMENT,
  );

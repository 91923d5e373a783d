import type { Mark } from '#session/views.ts';
import { gallop, lowerBound } from './sorted.ts';
import type { TimeScale } from './time-scale.ts';

export type MarkKind = Mark['kind'];

/** Marks that fall on one pixel. */
export interface MarkColumn {
  px: number;
  /** Of the first of them. */
  atMs: number;
  count: number;
}

const INITIAL = 64;
const NONE = -1;

/** Times of one kind in one lane, in order: typed arrays that double when they are full. */
class Column {
  #times = new Float64Array(INITIAL);
  /** Of all amounts up to and with each. */
  #sums = new Float64Array(INITIAL);
  #turns = new Int32Array(INITIAL);
  #frames = new Int32Array(INITIAL);
  length = 0;

  push({ atMs, amount, turn, frame }: Mark): void {
    if (this.length === this.#times.length) this.#grow();
    // Order is what bisection rests on; a mark that was stamped a moment too early is drawn at the one before it.
    const before = this.length > 0 ? this.timeAt(this.length - 1) : atMs;
    this.#times[this.length] = Math.max(atMs, before);
    this.#sums[this.length] = this.sumOf(this.length) + amount;
    this.#turns[this.length] = turn ?? NONE;
    this.#frames[this.length] = frame ?? NONE;
    this.length += 1;
  }

  /** Behind the last mark: never. */
  readonly timeAt = (at: number): number =>
    at < this.length ? (this.#times[at] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  amountAt = (at: number): number => this.sumOf(at + 1) - this.sumOf(at);
  /** Of the amounts of the first so many marks. */
  sumOf = (count: number): number => (count > 0 ? (this.#sums[count - 1] ?? 0) : 0);
  readonly frameAt = (at: number): number => (at < this.length ? (this.#frames[at] ?? NONE) : NONE);
  turnAt = (at: number): number | null => {
    const turn = this.#turns[at] ?? NONE;
    return turn < 0 ? null : turn;
  };

  #grow(): void {
    const size = this.#times.length * 2;
    const times = new Float64Array(size);
    const sums = new Float64Array(size);
    const turns = new Int32Array(size);
    const frames = new Int32Array(size);
    times.set(this.#times);
    sums.set(this.#sums);
    turns.set(this.#turns);
    frames.set(this.#frames);
    this.#times = times;
    this.#sums = sums;
    this.#turns = turns;
    this.#frames = frames;
  }
}

/** The marks of one session, while those of another are shown. */
export interface LaneContents {
  lanes: Map<string | null, Map<MarkKind, Column>>;
  firstMs: number | null;
  lastMs: number | null;
  size: number;
}

/**
 * Every mark of a session, by lane and kind. Marks are only added. It stands outside of React: who paints asks for what
 * falls on the pixels in view, at a cost of those pixels however long the session is.
 */
export class LaneStore {
  #lanes = new Map<string | null, Map<MarkKind, Column>>();
  readonly #listeners = new Set<() => void>();
  #firstMs: number | null = null;
  #lastMs: number | null = null;
  #size = 0;

  /** Marks in all; changes with every change of them. */
  get size(): number {
    return this.#size;
  }

  /** Time of the first mark. */
  get firstMs(): number | null {
    return this.#firstMs;
  }

  get lastMs(): number | null {
    return this.#lastMs;
  }

  /** Lanes with a mark; null: the connection. */
  get lanes(): IterableIterator<string | null> {
    return this.#lanes.keys();
  }

  append(marks: readonly Mark[]): void {
    if (marks.length === 0) return;
    for (const mark of marks) {
      this.#column(mark.context, mark.kind).push(mark);
      this.#firstMs = Math.min(this.#firstMs ?? mark.atMs, mark.atMs);
      this.#lastMs = Math.max(this.#lastMs ?? mark.atMs, mark.atMs);
    }
    this.#size += marks.length;
    for (const listener of this.#listeners) listener();
  }

  /** Has the marks of another session from now on, or none (null); gives back those that it had. */
  exchange(contents: LaneContents | null): LaneContents {
    const before = { lanes: this.#lanes, firstMs: this.#firstMs, lastMs: this.#lastMs, size: this.#size };
    this.#lanes = contents?.lanes ?? new Map();
    this.#firstMs = contents?.firstMs ?? null;
    this.#lastMs = contents?.lastMs ?? null;
    this.#size = contents?.size ?? 0;
    for (const listener of this.#listeners) listener();
    return before;
  }

  /** Returns what ends the subscription. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  count(lane: string | null, kind: MarkKind): number {
    return this.#lanes.get(lane)?.get(kind)?.length ?? 0;
  }

  /** What of a kind is in view: one entry for each pixel that has any, found by leaping from pixel to pixel. */
  columns(lane: string | null, kind: MarkKind, scale: TimeScale): MarkColumn[] {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return [];
    const found: MarkColumn[] = [];
    let at = lowerBound(column.timeAt, column.length, scale.startMs);
    while (at < column.length && column.timeAt(at) <= scale.endMs) {
      const atMs = column.timeAt(at);
      const px = Math.floor(scale.toPx(atMs));
      // At least one ahead: the pixel's edge may be rounded onto the mark itself.
      const next = gallop(column.timeAt, column.length, scale.toMs(px + 1), at + 1);
      found.push({ px, atMs, count: next - at });
      at = next;
    }
    return found;
  }

  /** How many of a kind lie in `[fromMs, toMs)`, and the sum of their amounts. */
  total(lane: string | null, kind: MarkKind, fromMs: number, toMs: number): { count: number; sum: number } {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return { count: 0, sum: 0 };
    const first = lowerBound(column.timeAt, column.length, fromMs);
    const end = lowerBound(column.timeAt, column.length, toMs, first);
    return { count: end - first, sum: column.sumOf(end) - column.sumOf(first) };
  }

  /** The sum of the amounts of a kind up to each pixel from `fromPx` on, with what is at the pixel's time. */
  sums(lane: string | null, kind: MarkKind, scale: TimeScale, fromPx: number, count: number): Float64Array {
    const sums = new Float64Array(count);
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return sums;
    let at = lowerBound(column.timeAt, column.length, scale.toMs(fromPx));
    for (let px = 0; px < count; px += 1) {
      at = gallop(column.timeAt, column.length, scale.toMs(fromPx + px + 1), at);
      sums[px] = column.sumOf(at);
    }
    return sums;
  }

  /** The newest of a kind at that time or before it. */
  before(lane: string | null, kind: MarkKind, ms: number): Mark | null {
    const column = this.#lanes.get(lane)?.get(kind);
    const after = column ? lowerBound(column.timeAt, column.length, ms) : 0;
    const at = column && column.timeAt(after) === ms ? after : after - 1;
    return column && at >= 0 ? this.#mark(lane, kind, column, at) : null;
  }

  /** All of a kind in `[fromMs, toMs]`; for kinds of which there are few. */
  between(lane: string | null, kind: MarkKind, fromMs: number, toMs: number): Mark[] {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return [];
    const marks: Mark[] = [];
    let at = lowerBound(column.timeAt, column.length, fromMs);
    for (; column.timeAt(at) <= toMs; at += 1) marks.push(this.#mark(lane, kind, column, at));
    return marks;
  }

  /** The mark of a frame that was recorded. */
  ofFrame(frame: number): Mark | null {
    for (const [lane, kinds] of this.#lanes) {
      for (const [kind, column] of kinds) {
        const at = lowerBound(column.frameAt, column.length, frame);
        if (column.frameAt(at) === frame) return this.#mark(lane, kind, column, at);
      }
    }
    return null;
  }

  /** The mark of a kind that is nearest to a moment, no farther than `withinMs`. */
  nearest(lane: string | null, kind: MarkKind, ms: number, withinMs: number): Mark | null {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return null;
    const after = lowerBound(column.timeAt, column.length, ms);
    const isBeforeNearer = after > 0 && ms - column.timeAt(after - 1) <= column.timeAt(after) - ms;
    const at = isBeforeNearer ? after - 1 : after;
    if (at >= column.length || Math.abs(column.timeAt(at) - ms) > withinMs) return null;
    return this.#mark(lane, kind, column, at);
  }

  /** The marks of a kind at exactly that moment: a barge-in on a context is one for each turn that it ends. */
  at(lane: string | null, kind: MarkKind, ms: number): Mark[] {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return [];
    const marks: Mark[] = [];
    const first = lowerBound(column.timeAt, column.length, ms);
    for (let at = first; at < column.length && column.timeAt(at) === ms; at += 1) {
      marks.push(this.#mark(lane, kind, column, at));
    }
    return marks;
  }

  /** The newest marks of a kind, oldest first. */
  latest(lane: string | null, kind: MarkKind, most: number): Mark[] {
    const column = this.#lanes.get(lane)?.get(kind);
    if (!column) return [];
    const marks: Mark[] = [];
    for (let at = Math.max(0, column.length - most); at < column.length; at += 1) {
      marks.push(this.#mark(lane, kind, column, at));
    }
    return marks;
  }

  #mark(lane: string | null, kind: MarkKind, column: Column, at: number): Mark {
    const frame = column.frameAt(at);
    return {
      kind,
      context: lane,
      atMs: column.timeAt(at),
      amount: column.amountAt(at),
      turn: column.turnAt(at),
      ...(frame === NONE ? {} : { frame }),
    };
  }

  #column(lane: string | null, kind: MarkKind): Column {
    let kinds = this.#lanes.get(lane);
    if (!kinds) {
      kinds = new Map();
      this.#lanes.set(lane, kinds);
    }
    let column = kinds.get(kind);
    if (!column) {
      column = new Column();
      kinds.set(kind, column);
    }
    return column;
  }
}

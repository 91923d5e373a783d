import { madeOnce } from '#lib/collections/maps.ts';
import type { Mark } from '#session/views.ts';
import { Listeners } from '../../browser/listeners.ts';
import { gallop, lowerBound } from './sorted.ts';
import type { TimeScale } from './time-scale.ts';

export type MarkKind = Mark['kind'];

const INITIAL = 64;
const NONE = -1;

/** The marks of one kind in one lane, in order of time, in typed arrays that double when they are full. */
class Column {
  #times = new Float64Array(INITIAL);
  /** Running sum of the amounts, each mark included. */
  #sums = new Float64Array(INITIAL);
  #turns = new Int32Array(INITIAL);
  #frames = new Int32Array(INITIAL);
  /** By place; few marks have one. */
  readonly #texts = new Map<number, string>();
  length = 0;

  push({ atMs, amount, turn, frame, text }: Mark): void {
    if (this.length === this.#times.length) this.#grow();
    // Bisection needs ascending times, so a mark with an earlier stamp gets the time of the mark before it.
    const before = this.length > 0 ? this.timeAt(this.length - 1) : atMs;
    this.#times[this.length] = Math.max(atMs, before);
    this.#sums[this.length] = this.sumOf(this.length) + amount;
    this.#turns[this.length] = turn ?? NONE;
    this.#frames[this.length] = frame ?? NONE;
    if (text !== undefined) this.#texts.set(this.length, text);
    this.length += 1;
  }

  /** Infinite after the last mark. */
  readonly timeAt = (at: number): number =>
    at < this.length ? (this.#times[at] ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  readonly frameAt = (at: number): number => (at < this.length ? (this.#frames[at] ?? NONE) : NONE);

  /** Sum of the amounts of the first `count` marks. */
  sumOf(count: number): number {
    return count > 0 ? (this.#sums[count - 1] ?? 0) : 0;
  }

  /** Index of the first mark at that time or later. */
  find(ms: number, from = 0): number {
    return lowerBound(this.timeAt, this.length, ms, from);
  }

  marks(context: string | null, kind: MarkKind, from: number, to: number): Mark[] {
    return Array.from({ length: Math.max(0, to - from) }, (_, index) => {
      const at = from + index;
      const turn = this.#turns[at] ?? NONE;
      const frame = this.frameAt(at);
      const text = this.#texts.get(at);
      return {
        kind,
        context,
        atMs: this.timeAt(at),
        amount: this.sumOf(at + 1) - this.sumOf(at),
        turn: turn === NONE ? null : turn,
        ...(frame === NONE ? {} : { frame }),
        ...(text === undefined ? {} : { text }),
      };
    });
  }

  #grow(): void {
    const grown = <A extends Float64Array | Int32Array>(to: A, from: A): A => {
      to.set(from);
      return to;
    };
    const size = this.#times.length * 2;
    this.#times = grown(new Float64Array(size), this.#times);
    this.#sums = grown(new Float64Array(size), this.#sums);
    this.#turns = grown(new Int32Array(size), this.#turns);
    this.#frames = grown(new Int32Array(size), this.#frames);
  }
}

const NO_MARKS = new Column();

/** Every mark of a session, append-only. A query costs the pixels in view, not the length of the session. */
export class LaneStore {
  readonly #lanes = new Map<string | null, Map<MarkKind, Column>>();
  readonly #changed = new Listeners();
  readonly subscribe = this.#changed.add;

  /** The contexts that have marks, and null for the connection. */
  get lanes(): IterableIterator<string | null> {
    return this.#lanes.keys();
  }

  append(marks: readonly Mark[]): void {
    if (marks.length === 0) return;
    for (const mark of marks) {
      const kinds = madeOnce(this.#lanes, mark.context, () => new Map<MarkKind, Column>());
      madeOnce(kinds, mark.kind, () => new Column()).push(mark);
    }
    this.#changed.call();
  }

  clear(): void {
    this.#lanes.clear();
    this.#changed.call();
  }

  /** The pixels in view that have marks of a kind, from left to right. Costs the pixels, not the marks. */
  pixels(lane: string | null, kind: MarkKind, scale: TimeScale): number[] {
    const column = this.#column(lane, kind);
    const found: number[] = [];
    let at = column.find(scale.startMs);
    while (at < column.length && column.timeAt(at) < scale.endMs) {
      const px = Math.floor(scale.toPx(column.timeAt(at)));
      found.push(px);
      // At least one further: rounding may put the pixel's edge onto the mark itself.
      at = gallop(column.timeAt, column.length, scale.toMs(px + 1), at + 1);
    }
    return found;
  }

  /** Number of marks in `[fromMs, toMs)`, and the sum of their amounts. */
  total(lane: string | null, kind: MarkKind, fromMs: number, toMs: number): { count: number; sum: number } {
    const column = this.#column(lane, kind);
    const first = column.find(fromMs);
    const end = column.find(toMs, first);
    return { count: end - first, sum: column.sumOf(end) - column.sumOf(first) };
  }

  /** The sum of the amounts of a kind at the end of each of `count` pixels from the left edge on. */
  sums(lane: string | null, kind: MarkKind, scale: TimeScale, count: number): Float64Array {
    const sums = new Float64Array(count);
    const column = this.#column(lane, kind);
    let at = column.find(scale.startMs);
    for (let px = 0; px < count; px += 1) {
      at = gallop(column.timeAt, column.length, scale.toMs(px + 1), at);
      sums[px] = column.sumOf(at);
    }
    return sums;
  }

  /** The last mark at that time or before it. */
  before(lane: string | null, kind: MarkKind, ms: number): Mark | null {
    const column = this.#column(lane, kind);
    const after = column.find(ms);
    const at = column.timeAt(after) === ms ? after : after - 1;
    return at < 0 ? null : (column.marks(lane, kind, at, at + 1)[0] ?? null);
  }

  /** All marks in `[fromMs, toMs]`; for rare kinds. */
  between(lane: string | null, kind: MarkKind, fromMs: number, toMs: number): Mark[] {
    const column = this.#column(lane, kind);
    const from = column.find(fromMs);
    let end = from;
    while (column.timeAt(end) <= toMs) end += 1;
    return column.marks(lane, kind, from, end);
  }

  /** The newest `most` marks, oldest first. */
  latest(lane: string | null, kind: MarkKind, most: number): Mark[] {
    const column = this.#column(lane, kind);
    return column.marks(lane, kind, Math.max(0, column.length - most), column.length);
  }

  /** The mark nearest to a moment, no farther than `withinMs`. */
  nearest(lane: string | null, kind: MarkKind, ms: number, withinMs: number): Mark | null {
    const column = this.#column(lane, kind);
    const after = column.find(ms);
    const isBeforeNearer = after > 0 && ms - column.timeAt(after - 1) <= column.timeAt(after) - ms;
    const at = isBeforeNearer ? after - 1 : after;
    if (Math.abs(column.timeAt(at) - ms) > withinMs) return null;
    return column.marks(lane, kind, at, at + 1)[0] ?? null;
  }

  ofFrame(frame: number): Mark | null {
    for (const [lane, kinds] of this.#lanes) {
      for (const [kind, column] of kinds) {
        const at = lowerBound(column.frameAt, column.length, frame);
        if (column.frameAt(at) === frame) return column.marks(lane, kind, at, at + 1)[0] ?? null;
      }
    }
    return null;
  }

  #column(lane: string | null, kind: MarkKind): Column {
    return this.#lanes.get(lane)?.get(kind) ?? NO_MARKS;
  }
}

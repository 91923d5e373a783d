/** The text between two flushes. */
export interface FlushedTurn {
  isFlushed: boolean;
  /** Later text belongs to another turn. */
  isCancelled: boolean;
}

export const NEW_TURN = { isFlushed: false, isCancelled: false } as const satisfies FlushedTurn;

/** The turns of one connection without an end, oldest first. Audio names nothing, so it belongs to the oldest. */
export abstract class FlushedTurns<T extends FlushedTurn> {
  all: T[] = [];

  protected abstract create(): T;
  /** The text of `later` is that of `turn` as well. */
  protected abstract join(turn: T, later: T): void;

  /** The turn that takes text. */
  get open(): T | undefined {
    const last = this.all.at(-1);
    return last && !last.isFlushed && !last.isCancelled ? last : undefined;
  }

  /** The turn that takes text, which begins where there is none. */
  take(): T {
    const { open = this.create() } = this;
    if (this.all.at(-1) !== open) this.all.push(open);
    return open;
  }

  /** Cancels all that was sent so far. */
  cancel(): readonly T[] {
    for (const turn of this.all) turn.isCancelled = true;
    return [...this.all];
  }

  drop(...turns: readonly T[]): void {
    this.all = this.all.filter((turn) => !turns.includes(turn));
  }

  /** The last flush was refused, so its text waits for the next one. */
  unflush(): void {
    const turn = this.all.findLast(({ isFlushed, isCancelled }) => isFlushed && !isCancelled);
    if (turn) this.reopen(turn);
  }

  /** A turn goes on, with the text behind it. */
  reopen(turn: T): void {
    const later = this.all[this.all.indexOf(turn) + 1];
    Object.assign(turn, NEW_TURN);
    if (!later) return;
    this.join(turn, later);
    turn.isFlushed = later.isFlushed;
    this.drop(later);
  }
}

import type { TurnView } from '#session/views.ts';

/** Turns in a page. A change copies one page and the list of pages: 10,000 turns are 157 pages. */
const PAGE = 64;

type Page = readonly (TurnView | undefined)[];

/**
 * The turns of a session by id, immutable: a change makes another book that shares every page without a change. A copy of
 * a map would cost one entry for each turn of the session with every update.
 */
export class TurnBook {
  static readonly EMPTY = new TurnBook([]);
  readonly #pages: readonly (Page | undefined)[];

  private constructor(pages: readonly (Page | undefined)[]) {
    this.#pages = pages;
  }

  static of(...turns: readonly TurnView[]): TurnBook {
    return TurnBook.EMPTY.with(turns);
  }

  get(id: number): TurnView | undefined {
    return this.#pages[Math.floor(id / PAGE)]?.[id % PAGE];
  }

  /** Turns in the order of their ids. */
  *values(): Generator<TurnView> {
    for (const page of this.#pages) {
      for (const turn of page ?? []) if (turn) yield turn;
    }
  }

  /** A book with these turns added, or put in place of those with the same id; the same book without any. */
  with(turns: readonly TurnView[]): TurnBook {
    if (turns.length === 0) return this;
    const pages = [...this.#pages];
    for (const turn of turns) {
      const at = Math.floor(turn.id / PAGE);
      const page = pages[at];
      // A page that this call has copied already is its own to change.
      const own =
        page === undefined || page === this.#pages[at]
          ? [...(page ?? [])]
          : (page as (TurnView | undefined)[]);
      own[turn.id % PAGE] = turn;
      pages[at] = own;
    }
    return new TurnBook(pages);
  }
}

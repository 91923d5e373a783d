import type { TurnView } from '#session/views.ts';

/** Turns per page. A change copies one page and the list of pages: 10,000 turns have 157 pages. */
const PAGE = 64;

type Page = readonly (TurnView | undefined)[];

/** The turns of a session by id, immutable. Changes share unchanged pages, because copying a `Map` takes milliseconds. */
export class TurnMap {
  static readonly EMPTY = new TurnMap([]);
  readonly #pages: readonly (Page | undefined)[];

  private constructor(pages: readonly (Page | undefined)[]) {
    this.#pages = pages;
  }

  static of(...turns: readonly TurnView[]): TurnMap {
    return TurnMap.EMPTY.with(turns);
  }

  get(id: number): TurnView | undefined {
    return this.#pages[Math.floor(id / PAGE)]?.[id % PAGE];
  }

  *values(): Generator<TurnView> {
    for (const page of this.#pages) {
      for (const turn of page ?? []) if (turn) yield turn;
    }
  }

  /** Returns a map in which these turns are added, or replace those with the same id. */
  with(turns: readonly TurnView[]): TurnMap {
    if (turns.length === 0) return this;
    const pages = [...this.#pages];
    const copies = new Map<number, (TurnView | undefined)[]>();
    for (const turn of turns) {
      const at = Math.floor(turn.id / PAGE);
      const page = copies.get(at) ?? [...(pages[at] ?? [])];
      page[turn.id % PAGE] = turn;
      copies.set(at, page);
      pages[at] = page;
    }
    return new TurnMap(pages);
  }
}

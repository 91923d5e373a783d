import { createStore, type StoreApi } from 'zustand/vanilla';

/**
 * One thing in a session that the person points at, the same in every panel. A panel that shows it marks it and scrolls it
 * into view; a panel that cannot show it does nothing.
 */
export type Selected =
  | { kind: 'turn'; turn: number }
  | { kind: 'chunk'; turn: number; chunk: number }
  /** `word`: its place in the chunk, counted from 0. */
  | { kind: 'word'; turn: number; chunk: number; word: number }
  /** `underrun`: its place among those of the turn, counted from 0. */
  | { kind: 'underrun'; turn: number; underrun: number }
  /** `frame`: its number, as in `Mark.frame`. `turn`, `chunk`: its owners. Null: nothing of this session. */
  | { kind: 'frame'; frame: number | null; turn: number | null; chunk: number | null };

/** The panel that set a selection, so that it does not scroll under the pointer. */
export type SelectedIn = 'transcript' | 'timeline' | 'chunks' | 'frames' | 'usage';

export interface SelectionState {
  selected: Selected | null;
  by: SelectedIn | null;
  /** The turn that the dock shows; null follows the newest. */
  chosenTurn: number | null;
}

/** What is selected in one session. */
export class SessionSelection {
  readonly store: StoreApi<SelectionState> = createStore(() => ({
    selected: null,
    by: null,
    chosenTurn: null,
  }));

  get state(): SelectionState {
    return this.store.getState();
  }

  /** Selects one thing; null selects nothing. */
  select(selected: Selected | null, by: SelectedIn): void {
    this.store.setState({ selected, by });
  }

  chooseTurn(chosenTurn: number | null): void {
    this.store.setState({ chosenTurn });
  }

  clear(): void {
    this.store.setState({ selected: null, by: null, chosenTurn: null });
  }
}

/** Whether the selection is that chunk, or something in it. */
export const isOfChunk = (selected: Selected | null, turn: number, chunk: number): boolean =>
  selected !== null && 'chunk' in selected && selected.turn === turn && selected.chunk === chunk;

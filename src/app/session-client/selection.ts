import { createStore, type StoreApi } from 'zustand/vanilla';

/** The selected item of a session, which every panel marks and scrolls into view. */
export type Selected =
  | { kind: 'turn'; turn: number }
  | { kind: 'chunk'; turn: number; chunk: number }
  /** `word`: index in the chunk. */
  | { kind: 'word'; turn: number; chunk: number; word: number }
  /** `underrun`: index in the turn. */
  | { kind: 'underrun'; turn: number; underrun: number }
  /** `frame`: number as in `Mark.frame`; null for a frame of another session. `turn`, `chunk`: owners of the frame. */
  | { kind: 'frame'; frame: number | null; turn: number | null; chunk: number | null };

/** The panel that set a selection, so that it does not scroll under the pointer. */
export type SelectedIn = 'transcript' | 'timeline' | 'chunks' | 'frames' | 'usage' | 'heardWords';

export interface SelectionState {
  selected: Selected | null;
  by: SelectedIn | null;
  /** The turn that the dock shows; null follows the newest. */
  chosenTurn: number | null;
}

const NOTHING: SelectionState = { selected: null, by: null, chosenTurn: null };

export class SessionSelection {
  readonly store: StoreApi<SelectionState> = createStore(() => NOTHING);

  get state(): SelectionState {
    return this.store.getState();
  }

  select(selected: Selected | null, by: SelectedIn): void {
    this.store.setState({ selected, by });
  }

  chooseTurn(chosenTurn: number | null): void {
    this.store.setState({ chosenTurn });
  }

  clear(): void {
    this.store.setState(NOTHING);
  }
}

export const isOfChunk = (selected: Selected | null, turn: number, chunk: number): boolean =>
  selected !== null && 'chunk' in selected && selected.turn === turn && selected.chunk === chunk;

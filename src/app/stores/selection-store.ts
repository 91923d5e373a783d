import { create } from 'zustand';

/**
 * What the person points at: one thing, the same in every panel. Whoever shows it marks it and brings it into view;
 * whoever can be pressed sets it. A panel that cannot show it says nothing.
 */
export type Selected =
  | { kind: 'turn'; turn: number }
  | { kind: 'chunk'; turn: number; chunk: number }
  /** `word`: its place in the chunk, counted from 0. */
  | { kind: 'word'; turn: number; chunk: number; word: number }
  /** `underrun`: its place among those of the turn, counted from 0. */
  | { kind: 'underrun'; turn: number; underrun: number }
  /** `frame`: its number, as in `Mark.frame`. `turn`, `chunk`: what it belongs to. Null: nothing of this session. */
  | { kind: 'frame'; frame: number | null; turn: number | null; chunk: number | null };

/** Who set it, so that a panel does not scroll under the pointer of whoever pressed in it. */
export type SelectedIn = 'transcript' | 'timeline' | 'chunks' | 'frames' | 'usage';

export interface SelectionState {
  selected: Selected | null;
  by: SelectedIn | null;
}

export const useSelection = create<SelectionState>()(() => ({ selected: null, by: null }));

/** Null selects nothing. */
export const select = (selected: Selected | null, by: SelectedIn): void =>
  useSelection.setState({ selected, by });

/** Whether it is that chunk, or something in it. */
export const isOfChunk = (selected: Selected | null, turn: number, chunk: number): boolean =>
  selected !== null && 'chunk' in selected && selected.turn === turn && selected.chunk === chunk;

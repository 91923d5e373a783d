import { create } from 'zustand';

/** A file on its way in: where it comes from, how far it is, and what became of it. */
export interface ImportState {
  /** Null: nothing is being read. */
  reading: { name: string; done: number; cancel: () => void } | null;
  /** Why the last file was not taken in, until it is dealt with. */
  failure: { name: string; problem: string; isPlaced: boolean } | null;
  /** Notes of the importer about the last file, and the recording that it became. */
  notes: { recording: string; sentences: readonly string[] } | null;
}

export const useImport = create<ImportState>()(() => ({ reading: null, failure: null, notes: null }));

import { create } from 'zustand';

/** The import in progress, and the outcome of the last one. */
export interface ImportState {
  reading: { name: string; done: number; cancel: () => void } | null;
  /** Failure of the last import, until it is dismissed. */
  failure: { name: string; problem: string; isPlaced: boolean } | null;
  /** Notes of the importer about the last file, and the recording that it became. */
  notes: { recording: string; sentences: readonly string[] } | null;
}

export const useImport = create<ImportState>()(() => ({ reading: null, failure: null, notes: null }));

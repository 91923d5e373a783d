import { create } from 'zustand';
import type { Space } from '#recordings/environment.ts';
import type { RecorderView, SearchState, ShownView } from '#recordings/messages.ts';
import type { StoredRecording } from '#recordings/store/database.ts';
import { type CheckView, NOTHING_CHECKED } from '#recordings/view/check-view.ts';

/** How a search stands. Its hits are kept outside of any state: there may be a million. */
export interface SearchView {
  id: number;
  state: SearchState;
  hits: number;
  /** Entries looked at, of how many. */
  looked: number;
  of: number;
  /** Entries that are not kept any more, known at the end. */
  unread: number;
  problem: string | null;
}

/** What the recordings worker told last. The page only reads it. */
export interface RecordingsState {
  recorder: RecorderView;
  /** Newest first; null until they were asked for. */
  list: readonly StoredRecording[] | null;
  /** Id of the one that goes on. */
  live: string | null;
  space: Space | null;
  shown: ShownView;
  /** What the rules say of it. */
  check: CheckView;
  search: SearchView | null;
  /** What could not be done, until it is dismissed. */
  failure: string | null;
}

/** Before the first report. */
export const NOTHING_SHOWN: ShownView = {
  layout: 0,
  recording: null,
  isLive: true,
  firstNumber: null,
  loaded: 0,
  rows: 0,
  matches: 0,
  facets: { kinds: [], contexts: [], lastTurn: 0, connections: 0 },
};

export const useRecordings = create<RecordingsState>()(() => ({
  recorder: { recording: null, memoryReason: null, message: null },
  list: null,
  live: null,
  space: null,
  shown: NOTHING_SHOWN,
  check: NOTHING_CHECKED,
  search: null,
  failure: null,
}));

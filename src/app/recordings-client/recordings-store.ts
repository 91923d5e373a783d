import { create } from 'zustand';
import type { RecordingsView, ShownView } from '#recordings/recordings-view.ts';
import { NOTHING_CHECKED } from '#recordings/view/check-view.ts';
import type { SearchState } from '#recordings/view/search.ts';
import { restApiOf } from '#trace/rest-calls.ts';

/** The state of a search. Its hits are kept outside of any state, because there may be a million. */
export interface SearchView {
  state: SearchState;
  hits: number;
  /** Entries searched, of how many. */
  looked: number;
  of: number;
  /** Entries whose payload is no longer kept; known at the end. */
  unread: number;
  problem: string | null;
}

/** The last reports of the recordings worker. The page only reads them. */
export interface RecordingsState extends RecordingsView {
  search: SearchView | null;
}

export const NOTHING_SHOWN: ShownView = {
  layout: 0,
  recording: null,
  isLive: true,
  isGrowing: true,
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
  growing: [],
  clients: null,
  evicted: [],
  space: null,
  shown: NOTHING_SHOWN,
  check: NOTHING_CHECKED,
  search: null,
  failure: null,
}));

/** Whether the shown recording holds REST calls. */
export const selectShowsCalls = ({ shown }: Pick<RecordingsState, 'shown'>): boolean =>
  shown.recording !== null && restApiOf(shown.recording.endpoint) !== null;

import type { ClientView } from './capture/client-view.ts';
import type { Space } from './environment.ts';
import type { StoredRecording } from './store/database.ts';
import type { Facets } from './store/frame-index.ts';
import type { MemoryReason } from './store/live-recording.ts';
import type { CheckView } from './view/check-view.ts';

/**
 * Rows that are listed at most: browsers limit the height of an element, Firefox to 17.8 million px. Only recordings of
 * earlier versions have more entries.
 */
export const MAX_ROWS = 400_000;

export type FindingsAsked = { entries: readonly number[] } | { rule: string; from: number; to: number };

/** The live recording, and whether it is stored. */
export interface RecorderView {
  /** null: nothing has been recorded yet. */
  recording: string | null;
  /** Why it is only in memory; null: it is stored, or will be. */
  memoryReason: MemoryReason | null;
  /** For people, where it is not stored; null where all is well. */
  message: string | null;
}

/** The shown recording, reported whenever it grows. */
export interface ShownView {
  /** Changes when rows may have moved, and not when rows are added at the end. */
  layout: number;
  recording: StoredRecording | null;
  /** Of the page's own session. */
  isLive: boolean;
  /** More entries may come: of the live session, or of another client. */
  isGrowing: boolean;
  /** Session-wide number at its index 0, as in `Mark.frame`, see `LiveRecording`; null if it is not the live recording. */
  firstNumber: number | null;
  /** Entries that are loaded so far, of `recording.entries`. */
  loaded: number;
  /** At most {@link MAX_ROWS}. */
  rows: number;
  /** Entries that pass the filter. */
  matches: number;
  facets: Facets;
}

/** State of the recordings worker, as the page shows it. Reports carry what has changed. */
export interface RecordingsView {
  recorder: RecorderView;
  /** Newest first; null until they are listed. */
  list: readonly StoredRecording[] | null;
  /** Id of the recording of the page's own session. */
  live: string | null;
  /** Ids of recordings of other clients that still grow. */
  growing: readonly string[];
  /** Other clients of the server, newest first; null where it captures none, or is not connected. */
  clients: readonly ClientView[] | null;
  /** Deleted to make room for the live recording, newest first, until `forgetEvicted`. */
  evicted: readonly StoredRecording[];
  /** Of the whole site; null where the browser does not say. */
  space: Space | null;
  shown: ShownView;
  /** Progress and results of the linter. */
  check: CheckView;
  /** The last thing that failed, as a message for people; null once the page dismisses it. */
  failure: string | null;
}

export type ReportRecordings = (change: Partial<RecordingsView>) => void;

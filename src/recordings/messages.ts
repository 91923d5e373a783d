import type { Space } from './environment.ts';
import type { ExchangeCommand, ExchangeReport } from './files/exchange-messages.ts';
import type { HeardRecord } from './format/player-entry.ts';
import type { StoredRecording } from './store/database.ts';
import type { Facets } from './store/frame-index.ts';
import type { NewEntry } from './store/keeper.ts';
import type { MemoryReason, RecordingStart } from './store/live-recording.ts';
import type { ShownEntry } from './store/payload-reader.ts';
import type { Became } from './view/became.ts';
import type { CheckView, FindingsAnswer } from './view/check-view.ts';
import type { Envelope } from './view/envelope.ts';
import type { EnvelopePlace } from './view/envelopes.ts';
import type { Filter } from './view/filter.ts';
import type { ListOptions, ListRow } from './view/frame-list.ts';
import type { SearchProgress, SearchQuery } from './view/search.ts';

/** Session worker to recordings worker, over a port of their own. */
export type FeedMessage =
  /** What follows is a recording of its own. Without entries there is none. */
  | { type: 'begin'; start: RecordingStart }
  /** Times are microseconds since the start that was told last. `first`: number of the first, see `Feed.add`. */
  | { type: 'entries'; first: number; entries: readonly NewEntry[] }
  /** What has been heard by now of turns that go on; not kept, their entries come when they are over. */
  | { type: 'hearing'; turns: readonly HearingTurn[] };

export interface HearingTurn {
  turn: number;
  soFar: HeardRecord;
}

/**
 * Page to recordings worker. One recording is shown at a time, as one list. `request` numbers a question, and comes
 * back with its answer.
 */
export type RecordingCommand =
  /** The session worker's port, moved here. */
  | { type: 'attachFeed'; port: MessagePort }
  /** Asks for all recordings there are. */
  | { type: 'recordings' }
  /** null: what is being recorded, also when another recording begins. */
  | { type: 'show'; recording: string | null }
  /** Which entries of what is shown are listed, and how. Holds for whatever is shown from now on. */
  | { type: 'list'; options: ListOptions }
  /** Opens or closes the run of audio that begins with this entry. */
  | { type: 'openRun'; first: number; isOpen: boolean }
  /** Asks for rows `from` to `to` (exclusive) of the list. */
  | { type: 'rows'; request: number; from: number; to: number }
  /** Asks for entries with their payloads. */
  | { type: 'entries'; request: number; indexes: readonly number[] }
  /** Asks where entries are in the list. */
  | { type: 'locate'; request: number; indexes: readonly number[] }
  /** Asks which entries pass a filter, whatever the list's is: the frames of a word, a chunk, a turn. */
  | { type: 'find'; request: number; filter: Filter }
  /** Asks what became of the samples in an audio entry. */
  | { type: 'became'; request: number; index: number }
  /** Asks which entry carries that sample of a turn. */
  | { type: 'frameAt'; request: number; turn: number; sample: number }
  /** Asks for the tiny waveforms of rows. */
  | { type: 'envelopes'; request: number; places: readonly EnvelopePlace[] }
  /** Looks through payloads; a search that goes on ends. */
  | { type: 'search'; search: number; query: SearchQuery }
  | { type: 'cancelSearch' }
  /** The page may go away: what is new is written at once. */
  | { type: 'flush' }
  /** Asks for findings: of these entries, or of a rule from its `from`th to its `to`th (exclusive). */
  | { type: 'findings'; request: number; of: FindingsAsked }
  /** Asks for the nearest entry with a finding behind this one (`step` 1) or before it (−1). */
  | { type: 'nextFinding'; request: number; from: number; step: 1 | -1; withAdvice: boolean }
  | { type: 'rename'; recording: string; name: string }
  | { type: 'pin'; recording: string; pinned: boolean }
  | { type: 'delete'; recording: string }
  /** Whoever has the other end asks for the entries of the recording; see `entry-server.ts`. */
  | { type: 'serve'; recording: string; port: MessagePort }
  /** Files: out and in. */
  | ExchangeCommand;

export type FindingsAsked = { entries: readonly number[] } | { rule: string; from: number; to: number };

/** What is recorded now, and whether it will be there tomorrow. */
export interface RecorderView {
  /** null: nothing has been recorded yet. */
  recording: string | null;
  /** Why it is only in memory; null: it is stored, or will be. */
  memoryReason: MemoryReason | null;
  /** For people, where it is not stored; null where all is well. */
  message: string | null;
}

/** What is shown, told whenever it has grown. */
export interface ShownView {
  /** Changes when rows may stand elsewhere than before, not when some are added at the end. */
  layout: number;
  recording: StoredRecording | null;
  isLive: boolean;
  /** Number of its first entry, by which `Mark.frame` counts; null: what is shown is not being recorded. */
  firstNumber: number | null;
  /** Entries that are loaded so far, of `recording.entries`. */
  loaded: number;
  rows: number;
  /** Entries that pass the filter. */
  matches: number;
  facets: Facets;
}

/** `refused`: the regular expression is none. `failed`: it was given up. Either says why. */
export type SearchState = 'running' | 'done' | 'cancelled' | 'refused' | 'failed';

/** Recordings worker to page. */
export type RecordingReport =
  | { type: 'recorder'; recorder: RecorderView }
  /** Newest first. `space`: of the whole site; null where the browser does not tell. */
  | { type: 'recordings'; recordings: readonly StoredRecording[]; live: string | null; space: Space | null }
  | { type: 'shown'; shown: ShownView }
  | { type: 'rows'; request: number; layout: number; rows: readonly ListRow[] }
  | { type: 'entries'; request: number; entries: readonly ShownEntry[] }
  /** −1: the filter leaves it out, or it is not there. */
  | { type: 'located'; request: number; layout: number; rows: Int32Array<ArrayBuffer> }
  | { type: 'found'; request: number; indexes: Uint32Array<ArrayBuffer> }
  /** How far the rules have come with what is shown, told as they go. */
  | { type: 'checked'; check: CheckView }
  | { type: 'findings'; request: number; answer: FindingsAnswer }
  /** −1: there is none. */
  | { type: 'nextFinding'; request: number; index: number }
  /** null: the entry is no audio, or belongs to no turn. */
  | { type: 'became'; request: number; became: Became | null }
  /** null: what is shown has no such sample. */
  | { type: 'frameAt'; request: number; index: number | null }
  /** In the order of the places; null where nothing can be decoded. */
  | { type: 'envelopes'; request: number; envelopes: readonly (Envelope | null)[] }
  | {
      type: 'searched';
      search: number;
      state: SearchState;
      progress: SearchProgress | null;
      problem: string | null;
    }
  | ExchangeReport
  /** In the place of any other answer: an error came between, which `failed` tells. */
  | { type: 'unanswered'; request: number }
  /** Something that was asked for could not be done. */
  | { type: 'failed'; message: string };

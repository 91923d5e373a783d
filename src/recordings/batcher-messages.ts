import type { CaptureMessage } from '#record/capture-messages.ts';
import type { NewEntry } from '#record/record.ts';
import type { HeardRecord } from './format/player-entry.ts';
import type { RecordingStart } from './store/live-recording.ts';

/** From the entry batcher of a session worker to the recordings worker, over a port of their own. */
export type BatcherMessage =
  /** Starts a recording. A recording without entries is not stored. */
  | { type: 'begin'; start: RecordingStart }
  /** Times are microseconds since the last `begin`. `first`: number of the first entry, see `EntryBatcher.add`. */
  | { type: 'entries'; first: number; entries: readonly NewEntry[] }
  /** Samples heard so far of turns that are not over. Not stored, because their entries follow at the end of the turn. */
  | { type: 'hearing'; turns: readonly HearingTurn[] };

/** Recordings worker to session worker, over the port of the entry batcher: a fault that was injected into some connection. */
export type FaultReport = Extract<CaptureMessage, { type: 'fault' }>;

export interface HearingTurn {
  turn: number;
  soFar: HeardRecord;
}

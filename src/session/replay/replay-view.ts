import type { RecordingInfo } from '#trace/entry.ts';
import type { Impairments } from './impairments.ts';

/** The recording of a replay, with its name as shown on the page. */
export interface ReplayedRecording
  extends Pick<RecordingInfo, 'id' | 'name' | 'endpoint' | 'address' | 'durationUs'> {
  /** It is the recording of another client, which is followed while it grows. */
  follows?: boolean;
}

export type ReplayControl =
  /** Resumes; starts again after the end. */
  | { do: 'play' }
  | { do: 'pause' }
  /** Ms of the recording per ms of wall time, {@link MIN_SPEED} to {@link MAX_SPEED}. */
  | { do: 'speed'; speed: number }
  /** Repeats everything up to that time at once, and continues from there. */
  | { do: 'seek'; toMs: number }
  /** Plays what is followed, or stops playing it. */
  | { do: 'listen'; isListening: boolean }
  /** Starts again, because impairments apply to the whole recording. */
  | { do: 'impair'; impairments: Impairments };

export const MIN_SPEED = 0.25;
export const MAX_SPEED = 8;

/** `seeking`: on the way to the time of a seek. `ended`: all entries were repeated; audio may still play. */
export type ReplayState = 'seeking' | 'playing' | 'ended' | 'failed';

export interface ReplayView {
  recording: ReplayedRecording;
  /** Number of the run. Each run has a session of its own, so the page discards the state of the last one. */
  run: number;
  state: ReplayState;
  isPaused: boolean;
  /** The recording is followed as it grows, and played only while somebody listens; null for a replay. */
  followed: { isListening: boolean } | null;
  /** Time of the recording at `atMs` of the wall clock. */
  positionMs: number;
  atMs: number;
  speed: number;
  impairments: Impairments;
  /** Index of the entry that was repeated last; −1: none. */
  index: number;
  /** Number of entries that could not be repeated, because their payload was not kept. */
  missing: number;
  problem: string | null;
}

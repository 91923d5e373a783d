import type { Impairments } from './impairments.ts';

/** Which recording is replayed, as the page knows it. */
export interface ReplayedRecording {
  id: string;
  /** As it is called on the page. */
  name: string;
  endpoint: string;
  address: string;
  durationUs: number;
}

export type ReplayControl =
  /** Goes on, or begins anew where it has come to its end. */
  | { do: 'play' }
  | { do: 'pause' }
  /** Ms of the recording for each ms that passes, {@link MIN_SPEED} to {@link MAX_SPEED}. */
  | { do: 'speed'; speed: number }
  /** Everything up to there is done at once, and the rest from there. */
  | { do: 'seek'; toMs: number }
  /** From the beginning, since what is added to the way belongs to the whole of it. */
  | { do: 'impair'; impairments: Impairments };

export const MIN_SPEED = 0.25;
export const MAX_SPEED = 8;

/** `seeking`: everything up to a time is being done again. `ended`: everything has been; it may still be heard. */
export type ReplayState = 'seeking' | 'playing' | 'ended' | 'failed';

export interface ReplayView {
  recording: ReplayedRecording;
  /** Of the session that the replay has made: with another one everything begins anew. */
  run: number;
  state: ReplayState;
  isPaused: boolean;
  /** Time of the recording at `atMs` of the wall clock. */
  positionMs: number;
  atMs: number;
  speed: number;
  impairments: Impairments;
  /** The entry that was done last; −1: none. */
  index: number;
  /** Entries that were not kept, and could not be done again. */
  missing: number;
  /** Why it failed; null where it did not. */
  problem: string | null;
}

import type { Frame } from '#protocol/core/frame.ts';

/** The entries of a recorded session, without secrets: one shape for store, page, linter and files. */

/** `out`: sent. `in`: received. `connection`: its own events. `player`: see `player-entry.ts` and `user-actions.ts`. */
export type Direction = 'out' | 'in' | 'connection' | 'player';

/** Kind of an entry in place of those that a capture had dropped. Its payload is `{"entries": count}`. */
export const LOST_KIND = 'lost';

/** Kind of a fault that was injected into a connection. Its payload is `{"what": fault}`, such as `stall=3000@2`. */
export const FAULT_KIND = 'fault';

/** An entry without its payload. */
export interface RecordHead {
  /** Place in the recording, counted from 0. */
  index: number;
  /** Microseconds since the recording began; never runs backwards. */
  atUs: number;
  direction: Direction;
  /** Connections of the recording, counted from 1. */
  connection: number;
  opcode: 'text' | 'binary' | 'none';
  /** Of the payload on the wire. */
  bytes: number;
  /**
   * Type of the speech event (`audio`, `words` …) or kind of the intent (`say`, `flush` …); `sent` for a frame sent by hand.
   * Of a connection `opening`, `opened`, `closed`, `failed`, `retrying` or {@link FAULT_KIND}; of a captured one also
   * {@link LOST_KIND}. Of the player a record or a user action.
   */
  kind: string;
  /** As on the page, counted from 1; null for none. */
  turn: number | null;
  /** Null for none, and on endpoints with a single context. */
  context: string | null;
  chunk: number | null;
  /** Length of its audio; null for other entries. */
  audioMs: number | null;
}

/** A whole entry. Entries of connection and player have JSON payloads. */
export interface RecordEntry extends RecordHead {
  payload: Frame;
}

/** An entry without its index, which the recording assigns. */
export type NewEntry = Omit<RecordEntry, 'index'>;

/** Longest context of an entry, in characters. Entries leave out a longer one, because the schema of files refuses it. */
export const MAX_CONTEXT_CHARS = 4096;

/** Entries of a recording: more than an hour of frames of 20 ms. The next entry begins another one. */
export const MAX_RECORDED = 250_000;

/** Origin and size of a recording. */
export interface RecordingInfo {
  id: string;
  /** Given by a person; empty until then. */
  name: string;
  /** Its registry name; an unknown one is readable too. */
  endpoint: string;
  /** Address without key. */
  address: string;
  /** Wall clock at `atUs` 0, in ms since 1970. */
  startedAtMs: number;
  durationUs: number;
  entries: number;
  bytes: number;
  /** Never deleted to make room. */
  pinned: boolean;
}

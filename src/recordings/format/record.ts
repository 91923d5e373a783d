import type { Frame } from '#protocol/core/endpoint.ts';

/**
 * What is recorded of a session: everything that happened on its connections, in order, each thing once and without
 * a secret in it. This is the one shape that the store writes, the panel shows, the rules check, and files carry.
 */

/**
 * Who made it: the page's side (`out`), the server's (`in`), or neither: what happened to the connection itself, and what
 * the player did with the sound (`player-entry.ts`).
 */
export type Direction = 'out' | 'in' | 'connection' | 'player';

/** What the recorder knows of a thing besides its payload. */
export interface RecordHead {
  /** Place in the recording, counted from 0 without a gap. */
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
   * What it is, in one word, for lists and filters: a speech event's type (`audio`, `words`, `turnEnded` …), an intent's
   * kind (`open`, `say`, `flush` …), `sent` for a frame sent by hand, or, of a connection, `opening`, `opened`, `closed`,
   * `failed`, `retrying`, or, of the player, `underrun`, `heard`.
   */
  kind: string;
  /** As on the page, counted from 1; null where it belongs to none. */
  turn: number | null;
  /** Null where it belongs to none, or the endpoint has only one. */
  context: string | null;
  chunk: number | null;
  /** Audio frames: ms of audio in it; otherwise null. */
  audioMs: number | null;
}

/**
 * One thing, whole. Of a connection's own, the payload is JSON that says what happened (close code, reason, address); of
 * the player's, JSON as `player-entry.ts` has it.
 */
export interface RecordEntry extends RecordHead {
  payload: Frame;
}

/** What a recording is of, and how it stands. */
export interface RecordingInfo {
  id: string;
  /** Given by a person; empty until then. */
  name: string;
  /** By registry name; one that is not known any more can still be read. */
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

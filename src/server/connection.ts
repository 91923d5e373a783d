import type { Clock } from '#lib/clock.ts';

/** All that a session class sees of its client, so that it runs under `ws`, in a unit test, or anywhere else. */
export interface Connection {
  /** A timer's fault fails this connection and no other. */
  readonly clock: Clock;
  /**
   * Sends one message: a text, or bytes that the caller must not change afterwards. Does nothing once the connection
   * is closed.
   */
  send(message: string | Uint8Array): void;
  /** Closes after everything that was sent. 1005 stands for a close frame without a code. */
  close(code: number, reason: string): void;
  /** Ends the connection after everything that was sent, without a close frame. */
  reset(): void;
  /**
   * Resolves at once while the client keeps up, otherwise once it has caught up or is gone. Producers of audio await
   * it, because a client that stops reading would otherwise fill the memory.
   */
  drained(): Promise<void>;
  /**
   * Stops reading, so that messages queue on the client's side. Messages that were read already may still arrive.
   * A client that leaves meanwhile is noticed at the next send.
   */
  pause(): void;
  /** Sends no ping and reads nothing more, and stays open. A client that leaves is still noticed. */
  silence(): void;
  /** Reads on; no message is lost. */
  resume(): void;
  /** Runs work that nothing awaits. A rejection fails this connection and no other. */
  background(work: () => Promise<void>): void;
}

/** The close of a connection as its client has it. 1005: without a code. 1006: without a close frame. */
export interface SocketEnd {
  code: number;
  reason: string;
  /** The client closed first. */
  asked: boolean;
}

/** The server's side of one connection. */
export interface Session {
  text(message: string): void;
  binary(message: Uint8Array): void;
  /** The client sent a ping, which is answered. Absent where that means nothing. */
  pinged?(): void;
  /** The client is gone: stops everything and sends nothing more. */
  gone(end: SocketEnd): void;
  /** The server shuts down: ends the running turn, then closes. An idle session closes at once. */
  goingAway(): void;
}

/** Close of a server that shuts down, where the vendor has none of its own. */
export const GOING_AWAY_CLOSE = { code: 1001, reason: 'the server is shutting down' } as const;

/** Longest reason of a close frame (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

/** The beginning of a reason that fits into a close frame. No character is cut in two, and bytes that were none are left out. */
export const cutReason = (reason: string): string =>
  new TextDecoder()
    .decode(Buffer.from(reason).subarray(0, MAX_REASON_BYTES), { stream: true })
    .replace(/(?<!\uFFFD)\uFFFD+$/, '');

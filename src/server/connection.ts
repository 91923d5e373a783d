/** All that a session class sees of its client, so that it runs under `ws`, in a unit test, or anywhere else. */
export interface Connection {
  /**
   * Sends one message: a text, or bytes, which must not be changed afterwards. Nothing happens once the connection is
   * closed.
   */
  send(message: string | Uint8Array): void;
  /** Ends the connection after what was sent. */
  close(code: number, reason: string): void;
  /**
   * Resolves at once while the client keeps up, and otherwise when it has caught up or is gone: whoever produces audio
   * waits here, so that a client that stops reading costs no memory.
   */
  drained(): Promise<void>;
  /**
   * Stops reading what the client sends, so that it waits on the client's side. Messages that were read already may
   * still come. A client that leaves meanwhile is noticed when something is sent to it.
   */
  pause(): void;
  /** Reads on; nothing was lost. */
  resume(): void;
}

/** The server's side of one connection. */
export interface Session {
  /** A text message came. */
  text(message: string): void;
  /** A binary message came. */
  binary(): void;
  /** The client is gone: everything stops, nothing more is sent. */
  gone(): void;
  /** The server shuts down: end the turn that is running, then close; an idle session closes at once. */
  goingAway(): void;
}

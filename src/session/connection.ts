import type { CloseMeaning, Endpoint, Frame } from '#protocol/core/endpoint.ts';
import type { FrameNote } from '#recordings/format/recorded-event.ts';
import type { SessionEnvironment, Socket } from './environment.ts';
import type { Target } from './messages.ts';
import type { Feed } from './recorder/feed.ts';
import { type ConnectionEvent, type RecordedFrame, Recorder } from './recorder/recorder.ts';
import type { ConnectionState, ConnectionView } from './views.ts';

/** How a connection ended. */
export interface Closing {
  code: number;
  reason: string;
  meaning: CloseMeaning;
  /** False: it never came about. */
  wasOpen: boolean;
  /** This side had asked for it. */
  asked: boolean;
  /** The close code and the number of tries so far allow another. */
  mayRetry: boolean;
}

export interface ConnectionHandlers {
  opened(): void;
  received(frame: RecordedFrame): void;
  /** Answers whether to try again, where it may be. Not called for a close by `drop`. */
  closed(closing: Closing): boolean;
  changed(): void;
}

/** A connection that held for so long has shown that it works: the next loss starts with the first delay again. */
const PROVEN_AFTER_MS = 10_000;

/** After this code a socket never opened, or broke without a goodbye (RFC 6455, 7.4.1). */
const CODE_ABNORMAL = 1006;
/** A goodbye in the ordinary way. */
export const CODE_NORMAL = 1000;
/** A close frame without a code, which is what a browser sends for a bare `close()`. */
const CODE_NONE = 1005;

/**
 * One socket at a time to one target: its states, its close in words, and the tries to get it back. What travels on
 * it is the session's affair.
 */
export class SocketConnection {
  readonly recorder: Recorder;
  readonly #environment: SessionEnvironment;
  readonly #handlers: ConnectionHandlers;
  #endpoint: Endpoint | null = null;
  #target: Target | null = null;
  #socket: Socket | null = null;
  #state: ConnectionState = 'idle';
  #sinceMs: number;
  #handshakeMs: number | null = null;
  #close: ConnectionView['close'] = null;
  #retry: ConnectionView['retry'] = null;
  #attempts = 0;
  #isReplacement = false;
  #stopRetry = (): void => {};

  /** @param feed where everything that happens on the connection is recorded */
  constructor(environment: SessionEnvironment, handlers: ConnectionHandlers, feed: Feed | null = null) {
    this.recorder = new Recorder(feed);
    this.#environment = environment;
    this.#handlers = handlers;
    this.#sinceMs = environment.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  view(): ConnectionView {
    const address = this.#endpoint && this.#target ? this.#target.base + this.#endpoint.path : null;
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      handshakeMs: this.#handshakeMs,
      address: address === null ? null : this.recorder.words(address),
      close: this.#close,
      retry: this.#retry,
      ...this.recorder.traffic,
    };
  }

  /** Where the next `open` goes. A connection to anywhere else is dropped. */
  aim(endpoint: Endpoint, target: Target): void {
    this.drop();
    this.#endpoint = endpoint;
    this.#target = target;
    // The local server's key is printed in its README; replacing it would blot out an ordinary word.
    this.recorder.begin(target.key === endpoint.localKey ? '' : target.key);
    this.recorder.aim(endpoint.id, target.base + endpoint.path);
    this.#close = null;
    this.#handshakeMs = null;
    this.#enter('idle');
  }

  /** In place of one that was left while it worked: where it does not come about, that is a loss and no first try. */
  reopen(): void {
    this.#attempts = 0;
    this.#isReplacement = true;
    this.#connect();
  }

  /** Connects where there is no connection and none on its way; while `retrying`, tries at once. */
  open(): void {
    if (this.#state === 'connecting' || this.#state === 'open' || this.#state === 'closing') return;
    if (this.#state !== 'retrying') {
      this.#attempts = 0;
      this.#isReplacement = false;
    }
    this.#connect();
  }

  /** @param note what the frame is, for the recording */
  send(frame: Frame, note: FrameNote): void {
    this.recorder.outwards(frame, this.#environment.nowMs(), note);
    try {
      this.#socket?.send(frame);
    } catch {
      // Only a socket that is no longer open throws, and its close is on the way.
    }
  }

  /** The server was asked to end; what it still sends is received. */
  closing(): void {
    if (this.#state === 'open') this.#enter('closing');
  }

  /** Ends from this side with a goodbye; `closed` is called when it is over. */
  close(): void {
    this.#stopRetry();
    if (this.#state === 'retrying') this.#enter('closed');
    this.closing();
    this.#socket?.close(CODE_NORMAL);
  }

  /** Leaves at once, and nobody is told. */
  drop(): void {
    this.#stopRetry();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(CODE_NORMAL);
    if (socket) this.#record('closed', { code: CODE_NORMAL, reason: '', asked: true, left: true });
    if (this.#state !== 'idle') this.#enter('closed');
  }

  /** The server has done something useful on this connection. */
  proven(): void {
    this.#attempts = 0;
  }

  #connect(): void {
    const endpoint = this.#endpoint;
    const target = this.#target;
    if (!endpoint || !target) return;
    this.#stopRetry();
    this.recorder.begin(target.key === endpoint.localKey ? '' : target.key);
    this.#close = null;
    this.#handshakeMs = null;
    this.#enter('connecting');
    const startedMs = this.#environment.nowMs();
    const replaces = this.#isReplacement ? { replaces: true } : {};
    this.#record('opening', { address: target.base + endpoint.path, ...replaces });
    let wasOpen = false;
    let over = false;
    // Late calls of a socket that was left belong to nobody.
    const isCurrent = (): boolean => !over && (socket === null || this.#socket === socket);
    let socket: Socket | null = null;
    try {
      socket = this.#environment.openSocket(endpoint.address(target.base, target.key), {
        opened: () => {
          if (!isCurrent()) return;
          wasOpen = true;
          this.#handshakeMs = this.#environment.nowMs() - startedMs;
          this.#record('opened', { handshakeMs: this.#handshakeMs });
          this.#enter('open');
          this.#handlers.opened();
        },
        received: (frame) => {
          if (isCurrent()) this.#handlers.received(this.recorder.inwards(frame, this.#environment.nowMs()));
        },
        closed: (code, reason) => {
          if (!isCurrent()) return;
          over = true;
          this.#socket = null;
          this.#ended(endpoint, code, reason, wasOpen);
        },
      });
      this.#socket = socket;
    } catch (error) {
      over = true;
      this.#ended(endpoint, CODE_ABNORMAL, error instanceof Error ? error.message : '', false);
    }
  }

  #ended(endpoint: Endpoint, code: number, rawReason: string, wasOpen: boolean): void {
    const asked = this.#state === 'closing';
    if (wasOpen && this.#environment.nowMs() - this.#sinceMs >= PROVEN_AFTER_MS) this.#attempts = 0;
    const reason = this.recorder.words(rawReason);
    const meaning = endpoint.explainClose(code, reason);
    this.#close = { ...meaning, code, reason };
    const normal = asked || code === CODE_NORMAL || code === CODE_NONE;
    this.#record(normal ? 'closed' : 'failed', { code, reason, name: meaning.name, wasOpen, asked });
    this.#enter(normal ? 'closed' : 'failed');
    // A first try that fails is told at once, since its address may be wrong; one that follows a loss goes on.
    const isLoss = wasOpen || this.#isReplacement || this.#attempts > 0;
    const delayMs = isLoss ? endpoint.reconnectDelaysMs[this.#attempts] : undefined;
    const mayRetry = meaning.mayReconnect && !asked && delayMs !== undefined;
    const wanted = this.#handlers.closed({ code, reason, meaning, wasOpen, asked, mayRetry });
    // The session may have opened the next connection meanwhile.
    if (this.#socket || this.#state === 'connecting') return;
    if (wanted && mayRetry) this.#retryLater(delayMs, endpoint.reconnectDelaysMs.length);
  }

  #retryLater(delayMs: number, of: number): void {
    this.#attempts += 1;
    this.#enter('retrying');
    this.#record('retrying', { attempt: this.#attempts, of, delayMs });
    this.#retry = { attempt: this.#attempts, of, atMs: this.#environment.nowMs() + delayMs };
    this.#stopRetry = this.#environment.after(delayMs, () => this.#connect());
  }

  #record(event: ConnectionEvent, what: Readonly<Record<string, unknown>>): void {
    this.recorder.happened(event, what, this.#environment.nowMs());
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#sinceMs = this.#environment.nowMs();
    this.#retry = null;
    this.#handlers.changed();
  }
}

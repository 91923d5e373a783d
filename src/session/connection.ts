import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { CloseMeaning, Dialect, Endpoint, Frame, Intent, Settings } from '#protocol/core/endpoint.ts';
import { endpointOf } from '#protocol/registry.ts';
import { FAULT_KIND } from '#record/record.ts';
import type { FrameNote } from '#record/recorded-event.ts';
import type { FeedNews } from '#recordings/feed-messages.ts';
import type { Socket } from './environment.ts';
import type { Target } from './messages.ts';
import type { ConnectionEvent } from './recorder/recorder.ts';
import type { SessionParts } from './session.ts';
import type { Turn } from './turns/turn.ts';
import type { ConnectionState, ConnectionView } from './views.ts';

export interface Closing {
  code: number;
  reason: string;
  meaning: CloseMeaning;
  /** False where the socket never opened. */
  wasOpen: boolean;
  /** This side had requested the close. */
  asked: boolean;
  /** The close code and the number of tries so far allow another. */
  mayRetry: boolean;
}

/** The state that the next connection inherits: nothing, unsent turns, or those and the contexts that are kept open. */
export type Carried = 'nothing' | 'unsent' | 'unsentAndContexts';

/** After this time without a loss, the next loss starts with the first retry delay again. */
const PROVEN_AFTER_MS = 10_000;

/** One socket at a time to one target, with its dialect and its retries. */
export class SocketConnection {
  /** The settings that a person wants now. A turn is spoken under those of its first text. */
  wanted: Settings = {};
  endpoint: Endpoint = endpointOf(null);
  readonly #parts: SessionParts;
  /** The wanted settings when this connection was asked for. Its address carries those that have a place there. */
  #opened: Settings = {};
  #dialect: Dialect = this.endpoint.open({ settings: {}, key: '' });
  #target: Target | null = null;
  #address: string | null = null;
  #socket: Socket | null = null;
  #state: ConnectionState = 'idle';
  #sinceMs: number;
  #openingMs = 0;
  #handshakeMs: number | null = null;
  #close: ConnectionView['close'] = null;
  #retry: ConnectionView['retry'] = null;
  #attempts = 0;
  #isReplacement = false;
  #isMarkedOpen = false;
  #stopRetry = (): void => {};

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#sinceMs = parts.network.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** When the state began. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  get isReady(): boolean {
    return this.#state === 'open' && this.#dialect.isReady !== false;
  }

  /** Frames may go out. A server that drains before it closes still reads them. */
  get takesFrames(): boolean {
    return this.#state === 'open' || this.#state === 'closing';
  }

  /** The wanted settings, with those of the address as this connection was opened with. */
  get openingSettings(): Settings {
    const settings: Record<string, unknown> = { ...this.wanted };
    for (const { field, place } of this.endpoint.settings) {
      if (place !== undefined) settings[field] = this.#opened[field];
    }
    return settings;
  }

  get key(): string {
    return this.#target?.key ?? '';
  }

  /** Without the key; null before the first target. */
  get address(): string | null {
    return this.#address && this.#parts.recorder.words(this.#address);
  }

  view(): ConnectionView {
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      handshakeMs: this.#handshakeMs,
      address: this.address,
      close: this.#close,
      retry: this.#retry,
      ...this.#parts.recorder.traffic,
    };
  }

  isAimedAt({ endpoint, base, key }: Target): boolean {
    const target = this.#target;
    return target?.endpoint === endpoint && target.base === base && target.key === key;
  }

  /** Sets the destination of the next `open`, and drops the present connection. */
  aim(target: Target): void {
    this.endpoint = endpointOf(target.endpoint);
    this.drop('nothing');
    this.#target = target;
    this.#parts.recorder.begin(this.#secret);
    this.#address = keylessAddress(this.endpoint, target.base, this.wanted);
    this.#parts.recorder.aim(this.endpoint.id, this.#address);
    this.#close = null;
    this.#handshakeMs = null;
    this.#enter('idle');
  }

  /** Connects, unless there is a connection or one on its way. While `retrying`, tries at once. */
  open(): void {
    if (this.#state === 'connecting' || this.takesFrames) return;
    if (this.#state !== 'retrying') {
      this.#attempts = 0;
      this.#isReplacement = false;
    }
    this.#connect();
  }

  /** Drops the connection and opens another, on which waiting turns are sent. */
  renew(): void {
    this.drop('unsentAndContexts');
    this.reopen();
  }

  /** Replaces a connection that was dropped while it worked, so that a failure to connect is a loss and is retried. */
  reopen(): void {
    this.#attempts = 0;
    this.#isReplacement = true;
    this.#connect();
  }

  /** @param turn the turn that the frames are recorded under */
  sendIntent(intent: Intent, turn: Turn | null = null): void {
    const context = ('context' in intent && intent.context) || null;
    const note = { kind: intent.kind, context, turn: turn?.id ?? null };
    for (const frame of this.encode(intent)) this.#sendUnlessReplay(frame, note);
    this.#parts.publisher.changed('connection');
  }

  /** Returns the frames of an intent without sending them. The dialect changes as if they were sent. */
  encode(intent: Intent): Frame[] {
    return this.#dialect.encode(intent);
  }

  send(frame: Frame, note: FrameNote): void {
    this.#parts.recorder.outwards(frame, this.#parts.network.nowMs(), note);
    this.#parts.publisher.changed('connection');
    try {
      this.#socket?.send(frame);
    } catch {
      // Only a socket that is no longer open throws, and its close event follows.
    }
  }

  decode(frame: Frame): ReturnType<Dialect['decode']> {
    return this.#dialect.decode(frame);
  }

  /** Sends the frames that became due through the last `decode`. */
  reply(): void {
    for (const frame of this.#dialect.replies?.() ?? []) this.#sendUnlessReplay(frame, { kind: 'open' });
    this.#parts.publisher.changed('connection');
  }

  /** Waits for the server's close, and receives until then. */
  closing(): void {
    if (this.#state !== 'open') return;
    this.#enter('closing');
    this.#parts.quiet.asked();
  }

  close(): void {
    this.#stopRetry();
    if (this.#state === 'retrying') this.#enter('closed');
    this.closing();
    this.#socket?.close(CLOSE_CODES.normal);
  }

  drop(carried: Carried): void {
    this.#stopRetry();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(CLOSE_CODES.normal);
    if (socket) this.#record('closed', { code: CLOSE_CODES.normal, reason: '', asked: true, left: true });
    if (this.#state !== 'idle') this.#enter('closed');
    this.#parts.receiver.dropped(carried);
    this.#markOpen(false);
  }

  /** Takes the report of a fault on purpose, which may be one of another connection. */
  faultReported({ mark, what, atMs }: FeedNews): void {
    if (mark === this.#target?.mark) this.struck(what, atMs);
  }

  /** Notes a fault on purpose. @param atMs on the server's clock */
  struck(what: string, atMs: number): void {
    const { network, publisher, recorder } = this.#parts;
    // The report comes by another socket than the frame, and another machine may have another time.
    const struckMs = Math.min(network.nowMs(), Math.max(this.#openingMs, atMs));
    recorder.happened(FAULT_KIND, { what }, struckMs);
    publisher.mark('fault', struckMs, { text: what, frame: recorder.lastNumber });
  }

  /** The server has done something useful on this connection. */
  proven(): void {
    this.#attempts = 0;
  }

  /** The local server's key is printed in its README. Redacting it would remove an ordinary word. */
  get #secret(): string {
    return this.key === this.endpoint.localKey ? '' : this.key;
  }

  #sendUnlessReplay(frame: Frame, note: FrameNote): void {
    if (!this.#parts.isReplay) this.send(frame, note);
  }

  #connect(): void {
    const { endpoint } = this;
    const target = this.#target;
    if (!target) return;
    this.#stopRetry();
    this.#parts.recorder.begin(this.#secret);
    this.#close = null;
    this.#handshakeMs = null;
    this.#enter('connecting');
    const startedMs = this.#parts.network.nowMs();
    this.#openingMs = startedMs;
    const replaces = this.#isReplacement ? { replaces: true } : {};
    this.#opened = this.wanted;
    const address = keylessAddress(endpoint, target.base, this.wanted);
    this.#address = address;
    this.#record('opening', { address, format: endpoint.audioFormat(this.wanted), ...replaces });
    let wasOpen = false;
    let over = false;
    // A dropped socket may still call back.
    const isCurrent = (): boolean => !over && (socket === null || this.#socket === socket);
    let socket: Socket | null = null;
    try {
      socket = this.#parts.network.openSocket(handshakeOf(endpoint, address, target.key), {
        opened: () => {
          if (!isCurrent()) return;
          wasOpen = true;
          this.#handshakeMs = this.#parts.network.nowMs() - startedMs;
          this.#record('opened', { handshakeMs: this.#handshakeMs });
          this.#dialect = endpoint.open({ settings: this.#opened, key: target.key });
          this.#enter('open');
          this.#markOpen(true);
          this.#parts.receiver.opened();
        },
        received: (frame) => {
          if (isCurrent())
            this.#parts.receiver.received(this.#parts.recorder.inwards(frame, this.#parts.network.nowMs()));
        },
        closed: (code, reason, isFinal = false) => {
          if (!isCurrent()) return;
          over = true;
          this.#socket = null;
          this.#ended(code, reason, wasOpen, isFinal);
        },
      });
      this.#socket = socket;
    } catch (error) {
      over = true;
      this.#ended(CLOSE_CODES.abnormal, error instanceof Error ? error.message : '', false, false);
    }
  }

  #ended(code: number, rawReason: string, wasOpen: boolean, isFinal: boolean): void {
    const { reconnectDelaysMs } = this.endpoint;
    const asked = this.#state === 'closing';
    if (wasOpen && this.#parts.network.nowMs() - this.#sinceMs >= PROVEN_AFTER_MS) this.#attempts = 0;
    const reason = this.#parts.recorder.words(rawReason);
    const meaning = this.endpoint.explainClose(code, reason);
    this.#close = { ...meaning, code, reason };
    const normal = asked || code === CLOSE_CODES.normal || code === CLOSE_CODES.none;
    this.#record(normal ? 'closed' : 'failed', { code, reason, name: meaning.name, wasOpen, asked });
    this.#enter(normal ? 'closed' : 'failed');
    // A first try that fails is reported at once, since its address may be wrong. After a loss, tries go on.
    const isLoss = wasOpen || this.#isReplacement || this.#attempts > 0;
    const delayMs = isLoss ? reconnectDelaysMs[this.#attempts] : undefined;
    const mayRetry = !isFinal && meaning.mayReconnect && !asked && delayMs !== undefined;
    this.#markOpen(false);
    const wanted = this.#parts.receiver.closed({ code, reason, meaning, wasOpen, asked, mayRetry });
    // The handler may have opened the next connection.
    if (this.#socket || this.#state === 'connecting') return;
    if (wanted && mayRetry) this.#retryLater(delayMs, reconnectDelaysMs.length);
  }

  #retryLater(delayMs: number, of: number): void {
    this.#attempts += 1;
    this.#enter('retrying');
    this.#record('retrying', { attempt: this.#attempts, of, delayMs });
    this.#retry = { attempt: this.#attempts, of, atMs: this.#parts.network.nowMs() + delayMs };
    this.#stopRetry = this.#parts.network.after(delayMs, () => this.#connect());
  }

  #record(event: ConnectionEvent, details: Readonly<Record<string, unknown>>): void {
    this.#parts.recorder.happened(event, details, this.#parts.network.nowMs());
  }

  #markOpen(isOpen: boolean): void {
    if (isOpen === this.#isMarkedOpen) return;
    this.#isMarkedOpen = isOpen;
    this.#parts.publisher.mark(isOpen ? 'connected' : 'disconnected', this.#parts.network.nowMs());
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#sinceMs = this.#parts.network.nowMs();
    this.#retry = null;
    this.#parts.publisher.changed('connection');
  }
}

import { decoders } from '#player/decoders.ts';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Budget, CloseMeaning, Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { hasVendorLimits } from '#protocol/core/servers.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { Target } from './commands.ts';
import type { SessionEnvironment } from './link.ts';
import { Link, type LinkEvents } from './link.ts';
import type { Publisher } from './publisher.ts';
import type { ConnectionEvent, Recorder } from './recorder/recorder.ts';
import type { ConnectionState, ConnectionView, Traffic } from './views.ts';

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

/** News of the connections of a route. */
export interface RouteEvents extends LinkEvents {
  opening(link: Link): void;
  opened(route: Route, link: Link): void;
  /** Returns whether to try again. */
  closed(route: Route, link: Link, closing: Closing): boolean;
  /** A connection takes no more text, and delivers the rest of its turn. */
  draining(link: Link): void;
  /** A connection that took no more text has ended. */
  drained(link: Link, closing: Closing): void;
  /** A connection that took no more text was dropped. */
  abandoned(link: Link): void;
  /** The connection that takes text was dropped; null where there was none. */
  dropped(route: Route, link: Link | null, carried: Carried): void;
  /** Waits for the server's close from now on. */
  closing(): void;
}

export interface RouteOptions {
  network: SessionEnvironment;
  recorder: Recorder;
  publisher: Publisher;
  endpoint: Endpoint;
  target: Target;
  /** The settings of its speakers that its address carries. */
  placed: Settings;
  /** The other settings that a person wants now. */
  wanted: () => Settings;
  events: RouteEvents;
}

/** A server closes a connection whose turn is over within this time. */
const DRAINED_CLOSE_MS = 5000;

/** After this time without a loss, the next loss starts with the first retry delay again. */
const PROVEN_AFTER_MS = 10_000;

/**
 * The connections to one address: the one that takes text, with its retries, and those that take no more text and still
 * deliver the rest of their turn.
 */
export class Route {
  readonly #options: RouteOptions;
  /** Of the audio of the next connection, in a replay; null where its settings decide. */
  #recordedFormat: AudioFormat | null = null;
  /** Takes text, or will. */
  #link: Link | null = null;
  /** Deliver the rest of their turn. With what calls off the wait for their close. */
  readonly #draining = new Map<Link, () => void>();
  #state: ConnectionState = 'idle';
  #sinceMs: number;
  #handshakeMs: number | null = null;
  #close: ConnectionView['close'] = null;
  #retry: ConnectionView['retry'] = null;
  #attempts = 0;
  #isReplacement = false;
  #stopRetry = (): void => {};

  constructor(options: RouteOptions) {
    this.#options = options;
    this.#sinceMs = options.network.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** When the state began. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** The one that takes text; null for none. */
  get link(): Link | null {
    return this.#link;
  }

  /** The one that takes text, once text may follow; null until then. */
  get ready(): Link | null {
    return this.#state === 'open' && this.#link?.dialect.isReady !== false ? this.#link : null;
  }

  /** Frames may go out. A server that drains before it closes still reads them. */
  get takesFrames(): boolean {
    return this.#link !== null && (this.#state === 'open' || this.#state === 'closing');
  }

  /** The settings that its next connection is opened with, and its next turn is spoken under. */
  get wanted(): Settings {
    return { ...this.#options.wanted(), ...this.#options.placed };
  }

  /** The wanted settings, with those of the address as a connection was opened with. */
  openingSettings({ settings: opened }: Link): Settings {
    const settings: Record<string, unknown> = { ...this.wanted };
    for (const { field, place } of this.#options.endpoint.settings) {
      if (place !== undefined) settings[field] = opened[field];
    }
    return settings;
  }

  /** The limits of sending on a connection. */
  budgetsOf({ dialect }: Link): readonly Budget[] {
    const { endpoint, target } = this.#options;
    return hasVendorLimits(endpoint, target) ? dialect.traits.budgets : [];
  }

  get address(): string {
    const { endpoint, target } = this.#options;
    return keylessAddress(endpoint, target.base, this.#link?.settings ?? this.wanted);
  }

  /** Traffic and number of connections are those of all routes. */
  get view(): Omit<ConnectionView, keyof Traffic | 'open'> {
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      handshakeMs: this.#handshakeMs,
      address: this.#options.recorder.words(this.address),
      close: this.#close,
      retry: this.#retry,
    };
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

  /** Opens a connection for the next turn, so that its text need not wait for the handshake. */
  openAhead(): void {
    this.#attempts = 0;
    this.#isReplacement = false;
    this.#connect(true);
  }

  /** Drops the connection that takes text and opens another, on which waiting turns are sent. */
  renew(): void {
    this.leave('unsentAndContexts');
    this.reopen();
  }

  /** Takes the format of the next connection from a recording, or of one that is on its way. */
  openAs(format: AudioFormat | null): void {
    this.#recordedFormat = format;
    const link = this.#state === 'connecting' ? this.#link : null;
    if (!link) return;
    const { endpoint, target } = this.#options;
    link.settings = this.wanted;
    link.format = format ?? endpoint.audioFormat(this.wanted);
    link.dialect = protocolOf(endpoint).open({ settings: this.wanted, key: target.key, format: link.format });
  }

  /** Replaces a connection that was dropped while it worked, so that a failure to connect is a loss and is retried. */
  reopen(): void {
    this.#attempts = 0;
    this.#isReplacement = true;
    this.#connect();
  }

  /** Takes no more text on a connection that belongs to one turn, and delivers the rest of it while the next one opens. */
  drain(link: Link): void {
    if (link !== this.#link || link.dialect.traits.turnEnd !== 'connection') return;
    this.#draining.set(link, () => {});
    this.#link = null;
    this.#enter('closing');
    this.#options.events.draining(link);
    this.#network.initiate(() => this.openAhead());
  }

  /** Leaves a connection that takes no more text and whose turn is over, if the server does not close it in time. */
  expectClose(link: Link): void {
    const callOff = this.#draining.get(link);
    if (!callOff) return;
    callOff();
    this.#draining.set(
      link,
      this.#network.after(DRAINED_CLOSE_MS, () => this.abandon(link)),
    );
  }

  /** Drops a connection that takes no more text. */
  abandon(link: Link): void {
    if (!this.#endDraining(link)) return;
    link.drop();
    this.#events.abandoned(link);
  }

  /** Waits for the server's close, and receives until then. */
  closing(): void {
    if (this.#state !== 'open') return;
    this.#enter('closing');
    this.#events.closing();
  }

  close(): void {
    this.#stopRetry();
    if (this.#state === 'retrying') this.#enter('closed');
    this.closing();
    for (const link of this.links) link.close();
  }

  /** Drops all its connections. */
  drop(carried: Carried): void {
    for (const link of this.#draining.keys()) this.abandon(link);
    this.leave(carried);
  }

  /** Drops the connection that takes text, or will. */
  leave(carried: Carried): void {
    this.#stopRetry();
    const link = this.#link;
    this.#link = null;
    link?.drop();
    if (this.#state !== 'idle') this.#enter(this.#draining.size > 0 ? 'closing' : 'closed');
    this.#events.dropped(this, link, carried);
  }

  /** The server has done something useful on this connection. */
  proven(): void {
    this.#attempts = 0;
  }

  /** Those that only deliver the rest of their turn, and the one that takes text. */
  get links(): Link[] {
    return [...this.#draining.keys(), ...(this.#link ? [this.#link] : [])];
  }

  #connect(isAhead = false): void {
    const { endpoint, recorder, publisher, target, events } = this.#options;
    const { wanted } = this;
    this.#stopRetry();
    this.#close = null;
    this.#handshakeMs = null;
    const format = this.#recordedFormat ?? endpoint.audioFormat(wanted);
    const link: Link = new Link({
      network: this.#network,
      recorder: recorder.connection(),
      publisher,
      isAhead,
      settings: wanted,
      dialect: protocolOf(endpoint).open({ settings: wanted, key: target.key, format }),
      format,
      events,
      opened: () => this.#opened(link),
      closed: (code, reason, isFinal) => this.#ended(link, code, reason, isFinal),
    });
    this.#link = link;
    events.opening(link);
    this.#enter('connecting');
    const { address } = this;
    const why = { ...(this.#isReplacement && { replaces: true }), ...(isAhead && { ahead: true }) };
    this.#record(link, 'opening', { address, format, ...why });
    // Loads it, so that frames need not wait.
    void decoders.ready(format.encoding);
    link.connect((handlers) =>
      this.#network.openSocket(handshakeOf(endpoint, address, target.key), handlers),
    );
  }

  #opened(link: Link): void {
    this.#handshakeMs = this.#network.nowMs() - link.startedMs;
    this.#record(link, 'opened', { handshakeMs: this.#handshakeMs });
    this.#enter('open');
    this.#events.opened(this, link);
  }

  #ended(link: Link, code: number, rawReason: string, isFinal: boolean): void {
    const { endpoint, recorder } = this.#options;
    const { reconnectDelaysMs } = endpoint;
    const { isSpare, wasOpen } = link;
    const isDrained = this.#draining.has(link);
    const asked = link.isClosedHere || (!isDrained && this.#state === 'closing');
    link.isClosedHere = asked;
    const reason = recorder.words(rawReason);
    const meaning = protocolOf(endpoint).explainClose(code, reason);
    const isNormal = asked || isSpare || code === CLOSE_CODES.normal || code === CLOSE_CODES.none;
    this.#record(link, isNormal ? 'closed' : 'failed', { code, reason, name: meaning.name, wasOpen, asked });
    if (isDrained) {
      this.#endDraining(link);
      this.#events.drained(link, { code, reason, meaning, wasOpen, asked, mayRetry: false });
      return;
    }
    this.#link = null;
    if (wasOpen && this.#network.nowMs() - this.#sinceMs >= PROVEN_AFTER_MS) this.#attempts = 0;
    // Nobody waited for a connection that was opened ahead.
    if (!isSpare) this.#close = { ...meaning, code, reason };
    this.#enter(isNormal ? 'closed' : 'failed');
    // A first try that fails is reported at once, since its address may be wrong. After a loss, tries go on.
    const isLoss = wasOpen || this.#isReplacement || this.#attempts > 0;
    const delayMs = isLoss ? reconnectDelaysMs[this.#attempts] : undefined;
    const mayRetry = !isFinal && meaning.mayReconnect && !asked && delayMs !== undefined;
    const wanted = this.#events.closed(this, link, { code, reason, meaning, wasOpen, asked, mayRetry });
    // The handler may have opened the next connection.
    if (this.#link) return;
    if (wanted && mayRetry) this.#retryLater(link, delayMs, reconnectDelaysMs.length);
  }

  /** Returns false where it did not drain. */
  #endDraining(link: Link): boolean {
    const callOff = this.#draining.get(link);
    if (!callOff) return false;
    callOff();
    this.#draining.delete(link);
    if (this.links.length === 0 && this.#state === 'closing') this.#enter('closed');
    else this.#options.publisher.changed('connection');
    return true;
  }

  #retryLater(link: Link, delayMs: number, of: number): void {
    this.#attempts += 1;
    this.#enter('retrying');
    this.#record(link, 'retrying', { attempt: this.#attempts, of, delayMs });
    this.#retry = { attempt: this.#attempts, of, atMs: this.#network.nowMs() + delayMs };
    this.#network.initiate(() => {
      this.#stopRetry = this.#network.after(delayMs, () => this.#connect());
    });
  }

  #record({ recorder }: Link, event: ConnectionEvent, details: Readonly<Record<string, unknown>>): void {
    recorder.happened(event, details, this.#network.nowMs());
  }

  get #network(): SessionEnvironment {
    return this.#options.network;
  }

  get #events(): RouteEvents {
    return this.#options.events;
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#sinceMs = this.#network.nowMs();
    this.#retry = null;
    this.#options.publisher.changed('connection');
  }
}

import { decoders } from '#player/decoders.ts';
import { handshakeOf, keylessAddress } from '#protocol/core/address.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { CloseMeaning, Endpoint, Settings } from '#protocol/core/endpoint.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import type { FaultReport } from '#record/capture-messages.ts';
import { FAULT_KIND } from '#record/record.ts';
import type { Target } from './commands.ts';
import type { SessionEnvironment } from './link.ts';
import { Link, type LinkEvents } from './link.ts';
import { type ConnectionEvent, NO_TRAFFIC, type Recorder } from './recorder/recorder.ts';
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

/** News of connections for their session. */
export interface ConnectionEvents extends LinkEvents {
  opened(link: Link): void;
  /** Returns whether to try again. */
  closed(link: Link, closing: Closing): boolean;
  /** A connection takes no more text, and delivers the rest of its turn. */
  draining(link: Link): void;
  /** A connection that took no more text has ended. */
  drained(link: Link, closing: Closing): void;
  /** A connection that took no more text was dropped. */
  abandoned(link: Link): void;
  /** The connection that takes text was dropped. */
  dropped(carried: Carried): void;
  /** Waits for the server's close from now on. */
  closing(): void;
  /** Whether anything can be sent. */
  marked(kind: 'connected' | 'disconnected', atMs: number): void;
  faulted(what: string, atMs: number, entry: number | undefined): void;
}

export interface ConnectionOptions {
  network: SessionEnvironment;
  recorder: Recorder;
  /** In a replay nothing is sent by the session itself. */
  isReplay: boolean;
  events: ConnectionEvents;
}

/** A server closes a connection whose turn is over within this time. */
const DRAINED_CLOSE_MS = 5000;

/** After this time without a loss, the next loss starts with the first retry delay again. */
const PROVEN_AFTER_MS = 10_000;

/**
 * The connections to one target: the one that takes text, with its retries, and those that take no more text and still
 * deliver the rest of their turn.
 */
export class Connections {
  /** The settings that a person wants now. A turn is spoken under those of its first text. */
  wanted: Settings = {};
  endpoint: Endpoint = endpointOf(null);
  /** Of the audio of the next connection, in a replay; null where its settings decide. */
  #recordedFormat: AudioFormat | null = null;
  readonly #network: SessionEnvironment;
  readonly #recorder: Recorder;
  readonly #isReplay: boolean;
  readonly #events: ConnectionEvents;
  #target: Target | null = null;
  #address: string | null = null;
  /** Takes text, or will. */
  #link: Link | null = null;
  /** Deliver the rest of their turn. With what calls off the wait for their close. */
  readonly #draining = new Map<Link, () => void>();
  /** The newest, also after its end. */
  #newest: Link | null = null;
  #state: ConnectionState = 'idle';
  #sinceMs: number;
  #handshakeMs: number | null = null;
  #close: ConnectionView['close'] = null;
  #retry: ConnectionView['retry'] = null;
  #attempts = 0;
  #isReplacement = false;
  #isMarkedOpen = false;
  #stopRetry = (): void => {};

  constructor({ network, recorder, isReplay, events }: ConnectionOptions) {
    this.#network = network;
    this.#recorder = recorder;
    this.#isReplay = isReplay;
    this.#events = events;
    this.#sinceMs = network.nowMs();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** When the state began. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** Number of the last entry; undefined where nothing is recorded. */
  get lastEntry(): number | undefined {
    return this.#recorder.lastNumber;
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

  /** The wanted settings, with those of the address as this connection was opened with. */
  get openingSettings(): Settings {
    const settings: Record<string, unknown> = { ...this.wanted };
    for (const { field, place } of this.endpoint.settings) {
      if (place !== undefined) settings[field] = this.#newest?.settings[field];
    }
    return settings;
  }

  get key(): string {
    return this.#target?.key ?? '';
  }

  /** Without the key; null before the first target. */
  get address(): string | null {
    return this.#address && this.#recorder.words(this.#address);
  }

  view(): ConnectionView {
    return {
      state: this.#state,
      sinceMs: this.#sinceMs,
      handshakeMs: this.#handshakeMs,
      address: this.address,
      close: this.#close,
      retry: this.#retry,
      ...(this.#newest?.recorder.traffic ?? NO_TRAFFIC),
    };
  }

  isAimedAt({ endpoint, base, key }: Target): boolean {
    const target = this.#target;
    return target?.endpoint === endpoint && target.base === base && target.key === key;
  }

  /** Sets the destination of the next `open`, and drops the present connections. */
  aim(target: Target): void {
    this.endpoint = endpointOf(target.endpoint);
    this.drop('nothing');
    this.#target = target;
    this.#newest = null;
    this.#address = keylessAddress(this.endpoint, target.base, this.wanted);
    // The local server's key is printed in its README. Redacting it would remove an ordinary word.
    const secret = target.key === this.endpoint.localKey ? '' : target.key;
    this.#recorder.aim(this.endpoint.id, this.#address, secret);
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

  /** Drops the connection that takes text and opens another, on which waiting turns are sent. */
  renew(): void {
    this.leave('unsentAndContexts');
    this.reopen();
  }

  /** Takes settings and format of the next connection from a recording, or of one that a retry has begun already. */
  openAs(settings: Settings | null, format: AudioFormat | null): void {
    if (settings) this.wanted = settings;
    this.#recordedFormat = format;
    const link = this.#state === 'connecting' ? this.#link : null;
    if (!link) return;
    link.settings = this.wanted;
    link.format = format ?? this.endpoint.audioFormat(this.wanted);
    link.dialect = protocolOf(this.endpoint).open({
      settings: this.wanted,
      key: this.key,
      format: link.format,
    });
  }

  /** Replaces a connection that was dropped while it worked, so that a failure to connect is a loss and is retried. */
  reopen(): void {
    this.#attempts = 0;
    this.#isReplacement = true;
    this.#connect();
  }

  /** Takes no more text on a connection that belongs to one turn, and delivers the rest of it while the next one opens. */
  drain(): void {
    const link = this.#link;
    if (link?.dialect.traits.turnEnd !== 'connection') return;
    this.#draining.set(link, () => {});
    this.#link = null;
    this.#enter('closing');
    this.#events.draining(link);
  }

  /** Leaves a connection that takes no more text and whose turn is over, if the server does not close it in time. */
  expectClose(connection: object): void {
    for (const [link, callOff] of this.#draining) {
      if (link !== connection) continue;
      callOff();
      const abandon = (): void => this.abandon(link);
      this.#draining.set(link, this.#network.after(DRAINED_CLOSE_MS, abandon));
    }
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

  /** Drops all connections. */
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
    this.#events.dropped(carried);
    if (this.links.length === 0) this.#markOpen(false);
  }

  /** Takes the report of a fault on purpose, which may be one of another connection. */
  faultReported({ mark, what, atMs }: FaultReport): void {
    if (mark === this.#target?.mark) this.injected(what, atMs);
  }

  /** Notes a fault on purpose. @param atMs on the server's clock */
  injected(what: string, atMs: number): void {
    // The report comes by another socket than the frame, and another machine may have another time.
    const injectedMs = Math.min(this.#network.nowMs(), Math.max(this.#newest?.startedMs ?? 0, atMs));
    const entry = this.#newest?.recorder.happened(FAULT_KIND, { what }, injectedMs);
    this.#events.faulted(what, injectedMs, entry);
  }

  /** The server has done something useful on this connection. */
  proven(): void {
    this.#attempts = 0;
  }

  /** Frames that came wait for a decoder. */
  get isWaiting(): boolean {
    return this.links.some((link) => link.isWaiting);
  }

  /** Those that only deliver the rest of their turn, and the one that takes text. */
  get links(): Link[] {
    return [...this.#draining.keys(), ...(this.#link ? [this.#link] : [])];
  }

  #connect(): void {
    const { endpoint, wanted } = this;
    const target = this.#target;
    if (!target) return;
    this.#stopRetry();
    this.#close = null;
    this.#handshakeMs = null;
    const format = this.#recordedFormat ?? endpoint.audioFormat(wanted);
    const link: Link = new Link({
      clock: this.#network,
      recorder: this.#recorder.connection(),
      isReplay: this.#isReplay,
      settings: wanted,
      dialect: protocolOf(endpoint).open({ settings: wanted, key: target.key, format }),
      format,
      events: this.#events,
      opened: () => this.#opened(link),
      closed: (code, reason, isFinal) => this.#ended(link, code, reason, isFinal),
    });
    this.#link = link;
    this.#newest = link;
    this.#enter('connecting');
    const address = keylessAddress(endpoint, target.base, wanted);
    this.#address = address;
    const replaces = this.#isReplacement ? { replaces: true } : {};
    this.#record(link, 'opening', { address, format, ...replaces });
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
    this.#markOpen(true);
    this.#events.opened(link);
  }

  #ended(link: Link, code: number, rawReason: string, isFinal: boolean): void {
    const { reconnectDelaysMs } = this.endpoint;
    const { wasOpen } = link;
    const isDrained = this.#draining.has(link);
    const asked = link.isClosedHere || (!isDrained && this.#state === 'closing');
    link.isClosedHere = asked;
    const reason = this.#recorder.words(rawReason);
    const meaning = this.endpoint.explainClose(code, reason);
    const isNormal = asked || code === CLOSE_CODES.normal || code === CLOSE_CODES.none;
    this.#record(link, isNormal ? 'closed' : 'failed', { code, reason, name: meaning.name, wasOpen, asked });
    if (isDrained) {
      this.#endDraining(link);
      this.#events.drained(link, { code, reason, meaning, wasOpen, asked, mayRetry: false });
      return;
    }
    this.#link = null;
    if (wasOpen && this.#network.nowMs() - this.#sinceMs >= PROVEN_AFTER_MS) this.#attempts = 0;
    this.#close = { ...meaning, code, reason };
    this.#enter(isNormal ? 'closed' : 'failed');
    // A first try that fails is reported at once, since its address may be wrong. After a loss, tries go on.
    const isLoss = wasOpen || this.#isReplacement || this.#attempts > 0;
    const delayMs = isLoss ? reconnectDelaysMs[this.#attempts] : undefined;
    const mayRetry = !isFinal && meaning.mayReconnect && !asked && delayMs !== undefined;
    this.#markOpen(false);
    const wanted = this.#events.closed(link, { code, reason, meaning, wasOpen, asked, mayRetry });
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
    if (this.links.length === 0) {
      if (this.#state === 'closing') this.#enter('closed');
      this.#markOpen(false);
    }
    return true;
  }

  #retryLater(link: Link, delayMs: number, of: number): void {
    this.#attempts += 1;
    this.#enter('retrying');
    this.#record(link, 'retrying', { attempt: this.#attempts, of, delayMs });
    this.#retry = { attempt: this.#attempts, of, atMs: this.#network.nowMs() + delayMs };
    this.#stopRetry = this.#network.after(delayMs, () => this.#connect());
  }

  #record({ recorder }: Link, event: ConnectionEvent, details: Readonly<Record<string, unknown>>): void {
    recorder.happened(event, details, this.#network.nowMs());
  }

  #markOpen(isOpen: boolean): void {
    if (isOpen === this.#isMarkedOpen) return;
    this.#isMarkedOpen = isOpen;
    this.#events.marked(isOpen ? 'connected' : 'disconnected', this.#network.nowMs());
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#sinceMs = this.#network.nowMs();
    this.#retry = null;
    this.#events.changed();
  }
}

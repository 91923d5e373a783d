import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { EntryTail } from '#recordings/entry-source.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { closeOf, openingOf, type RecordedOpening } from '#trace/connection.ts';
import { FAULT_KIND, LOST_KIND } from '#trace/entry.ts';
import { playerRecordOf } from '#trace/player-entry.ts';
import { userActionOf } from '#trace/user-actions.ts';
import type { Link, SessionEnvironment, SocketHandlers } from '../link.ts';
import { EarliestPlayback } from '../measures/earliest.ts';
import type { Route } from '../route.ts';
import { EndpointSession, type EndpointSessionOptions, type ReplayedParts } from '../session.ts';
import { ClientReplayer } from './client-replayer.ts';
import type { Impairments } from './impairments.ts';
import { ReplayClock } from './replay-clock.ts';
import { detailsIn, Schedule } from './schedule.ts';

/** With fewer scheduled entries than this, the run requests more. */
const FEW = 1024;

/** Behind the recording that is followed, so that entries are known before they are due. */
const FOLLOW_BEHIND_MS = 250;
/** After a longer time, as in a computer that slept, nothing of it is caught up on. */
const MAX_BEHIND_MS = 5000;

export interface ReplayRunOptions extends Omit<EndpointSessionOptions, 'replayed'> {
  endpoint: Endpoint;
  /** As recorded, without the key. */
  address: string;
  impairments: Impairments;
  /** Repeats each entry soon after it was recorded, with its own time, and what is older at once. */
  follows?: boolean;
  listener: ReplayListener;
}

/** The replay that a run belongs to. */
export interface ReplayListener {
  /** Fetches more entries. The run does not repeat the request before `add`. */
  wantsMore(): void;
  /** Reports the position, or the end of the run, soon. */
  moved(): void;
}

/**
 * One run through a recording, in a session of its own that repeats every entry at its time. Received frames pass the
 * same decoder, ring and player as in the recorded session. Sent frames change the same state, and lead nowhere.
 */
export class ReplayRun {
  readonly session: EndpointSession;
  readonly clock: ReplayClock;
  /** Index of the entry that was repeated last; −1: none. */
  index = -1;
  /** Number of entries that could not be repeated, because their payload was not kept. */
  missing = 0;
  readonly #parts: ReplayedParts;
  readonly #client: ClientReplayer;
  readonly #endpoint: Endpoint;
  readonly #listener: ReplayListener;
  readonly #schedule: Schedule;
  readonly #network: SessionEnvironment;
  /** Handlers of the socket that was opened last. */
  #socket: SocketHandlers | null = null;
  /** Open connections by their number. */
  readonly #connections = new Map<number, RepeatedConnection>();
  /** Number of the connection that was opened last. */
  #newest = 0;
  #isPlaying = false;
  #isDisposed = false;
  #hasRequested = false;
  #isWhole = false;
  /** The goal of `forwardTo`, while the run is on its way there. */
  #forward: { toUs: number; done: () => void } | null = null;
  readonly #heard = new Set<number>();
  readonly #environment: SessionEnvironment;
  readonly #follows: boolean;
  /** Wall clock at the beginning of a recording that is followed; null until it is known. */
  #baseMs: number | null = null;
  /** Time of the entry that is being repeated. */
  #repeatedMs: number | null = null;
  #stopWaiting = (): void => {};

  constructor({ endpoint, address, impairments, listener, follows = false, ...options }: ReplayRunOptions) {
    const { environment } = options;
    this.clock = new ReplayClock(environment);
    this.#environment = environment;
    this.#follows = follows;
    this.#endpoint = endpoint;
    this.#listener = listener;
    this.#schedule = new Schedule(impairments);
    const replayed: SessionEnvironment = {
      initiate: () => {},
      // Playback runs in real time at any speed of the replay.
      nowMs: () => this.#followedMs() ?? environment.nowMs(),
      after: (delayMs, task) => this.clock.after(delayMs, task),
      openSocket: (_handshake, socket) => {
        this.#socket = socket;
        return { send() {}, close() {} };
      },
    };
    this.#network = replayed;
    const { session, parts } = EndpointSession.replayed({
      ...options,
      replayed,
      caughtUp: () => this.#goOn(),
    });
    this.session = session;
    this.#parts = parts;
    this.#client = new ClientReplayer(replayed, parts);
    const { base, settings } = readAddress(endpoint, address) ?? { base: address, settings: {} };
    this.session.handle({
      type: 'target',
      target: { endpoint: endpoint.id, base, key: '' },
      settings,
    });
  }

  get isOver(): boolean {
    return this.#isWhole && this.#schedule.length === 0;
  }

  get isForwarding(): boolean {
    return this.#forward !== null;
  }

  /** @param tail of a recording that is followed */
  add(entries: readonly ShownEntry[], isLast: boolean, tail: EntryTail | null = null): void {
    this.#hasRequested = false;
    for (const entry of entries) this.#schedule.add(entry);
    if (tail && this.#follows) {
      this.#schedule.known(tail.knownToUs);
      this.#baseMs ??= tail.baseMs + FOLLOW_BEHIND_MS;
    }
    if (isLast) {
      this.#isWhole = true;
      this.#schedule.end();
    }
    this.#goOn();
  }

  play(): void {
    this.#isPlaying = true;
    this.#goOn();
  }

  pause(): void {
    this.#isPlaying = false;
    this.clock.run(false);
  }

  /** Repeats everything up to that time at once. Skips turns that were heard, or else received, by then. */
  forwardTo(toUs: number, done: () => void): void {
    this.#forward = { toUs, done };
    this.#goOn();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#stopWaiting();
    this.clock.dispose();
    this.session.handle({ type: 'detachPlayer' });
    this.#forward = null;
  }

  /** Repeats the entries that are due, and sets a timer for the next. */
  #goOn(): void {
    if (this.#isDisposed) return;
    this.#stopWaiting();
    this.#stopWaiting = () => {};
    let hasMoved = false;
    const passUs = this.#forward?.toUs ?? this.#dueToUs();
    for (;;) {
      const next = this.#schedule.peek();
      if (next === null || next === 'unknown' || this.session.isWaiting) break;
      const isPassed = passUs !== null && next.dueUs <= passUs;
      if (!isPassed && next.dueUs / 1000 > this.clock.nowMs() + EARLY_MS) break;
      if (isPassed) this.clock.advanceTo(next.dueUs / 1000);
      this.#schedule.take();
      this.index = Math.max(this.index, next.entry.index);
      this.#repeatedMs = next.dueUs / 1000;
      // Marks lead to the entry of the recording.
      this.#parts.recorder.lastNumber = next.entry.index;
      this.#repeat(next.entry);
      this.#repeatedMs = null;
      hasMoved = true;
    }
    const isWaiting = this.session.isWaiting;
    // While frames wait for a decoder, the next entry has to wait too.
    const next = isWaiting ? 'unknown' : this.#schedule.peek();
    // A long added delay can keep many entries waiting for one that has not been fetched.
    if (
      !this.#isWhole &&
      !this.#hasRequested &&
      (this.#schedule.length < FEW || (next === 'unknown' && !isWaiting))
    ) {
      this.#hasRequested = true;
      this.#listener.wantsMore();
    }
    if (next !== 'unknown') this.#arrive();
    if (passUs !== null && this.#follows) {
      this.clock.advanceTo(passUs / 1000);
      this.clock.run(true);
    }
    // The clock stops until the next entry is known, so that slow reading makes no entry late.
    else this.clock.run(this.#isPlaying && next !== 'unknown');
    if (next !== null && next !== 'unknown') {
      const waitMs = Math.max(0, next.dueUs / 1000 - this.clock.nowMs());
      this.#stopWaiting = this.clock.after(waitMs, () => this.#goOn());
    }
    if (hasMoved || next === null) this.#listener.moved();
  }

  /** Wall clock of a session that is followed: the recorded time of what is repeated, otherwise the present. */
  #followedMs(): number | null {
    return this.#baseMs === null ? null : this.#baseMs + (this.#repeatedMs ?? this.clock.nowMs());
  }

  /** The time of a followed recording up to which all is repeated now; null for a replay. */
  #dueToUs(): number | null {
    if (!this.#follows || this.#baseMs === null) return null;
    const { knownToUs } = this.#schedule;
    const nowMs = this.#environment.nowMs();
    const behindMs = knownToUs / 1000 - (nowMs - this.#baseMs);
    if (behindMs > MAX_BEHIND_MS && Number.isFinite(behindMs)) {
      this.#baseMs = nowMs - knownToUs / 1000 + FOLLOW_BEHIND_MS;
    }
    return Math.min(knownToUs, (nowMs - this.#baseMs) * 1000);
  }

  /** Takes turns out of the player's queue that their client may have played to the end. */
  leaveOutPast(): void {
    const nowMs = this.#followedMs();
    if (nowMs === null) return;
    const { conversation, playback } = this.#parts;
    const client = new EarliestPlayback();
    const past = conversation.turns.filter((turn) => {
      const span = client.place(turn, turn.firstAudioMs);
      return turn.isOver && span !== null && span.toMs < nowMs;
    });
    playback.leaveOut((turn) => past.includes(turn));
  }

  #arrive(): void {
    const forward = this.#forward;
    if (!forward) return;
    this.#forward = null;
    this.clock.advanceTo(forward.toUs / 1000);
    const recordsHearing = this.#heard.size > 0;
    this.#client.skip((turn) => (recordsHearing ? this.#heard.has(turn.id) : turn.samples > 0));
    forward.done();
  }

  #repeat(entry: ShownEntry): void {
    const { direction, connection: number, payload } = entry;
    if (direction === 'connection') this.#happen(entry);
    else if (direction === 'player') this.#act(entry);
    else {
      const connection = this.#connectionOf(number);
      if (!connection) return;
      if (payload === null) this.missing += 1;
      else if (direction === 'out') this.#send(entry, payload, connection);
      else this.#receive(entry, payload, connection);
    }
  }

  #happen(entry: ShownEntry): void {
    const { kind, connection: number, payload } = entry;
    if (kind === 'opening') {
      const { replaces, ahead } = detailsIn(payload);
      const why = { replaces: replaces === true, isAhead: ahead === true };
      const opened = this.#open(number, openingOf(entry), why);
      if (opened) opened.recordsOpening = false;
      return;
    }
    const connection = this.#connections.get(number);
    if (!connection) return;
    switch (kind) {
      case LOST_KIND:
        this.missing += Number(detailsIn(payload).entries) || 0;
        break;
      case FAULT_KIND:
        this.#parts.connections.injected(String(detailsIn(payload).what), this.#network.nowMs());
        break;
      case 'opened':
        connection.recordsOpening = true;
        opened(connection);
        break;
      case 'closed':
      case 'failed': {
        const { code, reason, asked, left, isFinal } = closeOf(payload);
        connection.isOpen = false;
        connection.recordsOpening = true;
        const { link, route } = connection;
        const takesText = link === route.link;
        if (left && (takesText || !link)) route.leave('unsent');
        else if (left && link) route.abandon(link);
        if (left) break;
        if (asked && takesText) route.closing();
        else if (asked) link?.close();
        connection.socket?.closed(code, reason, isFinal);
        if (number !== this.#newest) this.#connections.delete(number);
        break;
      }
    }
  }

  /** @param opening null where the recording does not tell */
  #open(
    number: number,
    opening: RecordedOpening | null,
    why = { replaces: false, isAhead: false },
  ): RepeatedConnection | null {
    const settings = opening && readAddress(this.#endpoint, opening.address)?.settings;
    const { connections } = this.#parts;
    const route = connections.openAs(settings ?? null, opening?.format ?? null);
    if (!route) return null;
    for (const [other, before] of this.#connections) {
      const { link } = before;
      const isReplaced = link === route.link && before.isOpen;
      // The session has drained the last one, or a recording from another tool may not say when that ended.
      if (isReplaced && link && why.isAhead) route.drain(link);
      else if (isReplaced) route.drop('unsent');
      // One that only delivers the rest of its turn is followed too.
      const isFollowed = link !== null && link !== route.link && connections.links.includes(link);
      if (!isFollowed) this.#connections.delete(other);
    }
    this.#newest = number;
    this.#client.opens(route, why);
    const repeated = { socket: this.#socket, route, link: route.link, isOpen: false, recordsOpening: true };
    this.#connections.set(number, repeated);
    return repeated;
  }

  /** The connection of a frame; null for one that has been left. */
  #connectionOf(number: number): RepeatedConnection | null {
    const known = this.#connections.get(number);
    const connection = known ?? (number > this.#newest ? this.#open(number, null) : null);
    if (connection) opened(connection);
    return connection;
  }

  #send({ kind, turn }: ShownEntry, frame: Frame, { link, recordsOpening }: RepeatedConnection): void {
    const isByHand = kind === BY_HAND && recordsOpening;
    // Earlier sessions did not read frames sent by hand, and noted no turn for them.
    const read = isByHand && turn === null ? [] : protocolOf(this.#endpoint).readIntents(frame);
    // What else a dialect sent by itself, as text again or a second try of a cancel, it repeats by itself.
    const intents = kind === 'open' ? read.filter(isOfSettings) : read;
    if (link) this.#client.sent(frame, { intents, isByHand }, turn, link);
  }

  #receive({ turn }: ShownEntry, frame: Frame, { socket }: RepeatedConnection): void {
    if (turn !== null) this.#parts.conversation.numberNext(turn);
    socket?.received(frame);
  }

  #act(entry: ShownEntry): void {
    if (entry.kind === 'heard' && entry.turn !== null) this.#heard.add(entry.turn);
    const record = entry.turn === null ? null : playerRecordOf(entry);
    if (record?.kind === 'measured' && entry.turn !== null)
      this.#parts.measuring.recorded(entry.turn, record);
    const action = userActionOf(entry);
    if (action?.kind === 'disconnected') this.session.handle({ type: 'disconnect' });
    else if (action) this.#client.act(action);
  }
}

interface RepeatedConnection {
  socket: SocketHandlers | null;
  route: Route;
  link: Link | null;
  isOpen: boolean;
  /** The recording says when it opened, so frames marked as sent by hand were really sent by hand. */
  recordsOpening: boolean;
}

function opened(connection: RepeatedConnection): void {
  if (connection.isOpen) return;
  connection.isOpen = true;
  connection.socket?.opened();
}

/** The recorder's kind of a frame sent by hand. Files from other tools give it to every sent frame. */
const BY_HAND = 'sent';

/** Timers may fire early by a fraction of a microsecond. */
const EARLY_MS = 0.001;

const isOfSettings = ({ kind }: Intent): boolean => kind === 'open' || kind === 'update';

import type { Endpoint } from '#protocol/core/endpoint.ts';
import { userActionOf } from '#recordings/format/user-actions.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import type { SessionEnvironment, SocketHandlers } from '../environment.ts';
import { Session, type SessionOptions } from '../session.ts';
import type { Impairments } from './impairments.ts';
import { Reenactment } from './reenactment.ts';
import { ReplayClock } from './replay-clock.ts';
import { closingOf, Schedule, toldIn } from './schedule.ts';

/** With fewer entries than these, more are asked for. */
const FEW = 1024;

export interface ReplayRunOptions extends Omit<SessionOptions, 'replayed'> {
  endpoint: Endpoint;
  /** As recorded: without a key. */
  address: string;
  impairments: Impairments;
  handlers: ReplayRunHandlers;
}

export interface ReplayRunHandlers {
  /** More entries are wanted, by `add`. Not asked again before they are there. */
  wantsMore(): void;
  /** Something was done again, or the last has been. */
  moved(): void;
}

/**
 * One run through a recording: a session of its own, to which everything that happened happens again at its time. What
 * came in goes through the same decoder, ring and player as then; what went out changes what it changed, and goes nowhere.
 */
export class ReplayRun {
  readonly session: Session;
  readonly clock: ReplayClock;
  readonly #reenactment: Reenactment;
  readonly #endpoint: Endpoint;
  readonly #handlers: ReplayRunHandlers;
  readonly #schedule: Schedule;
  #socket: SocketHandlers | null = null;
  /** The connection that is followed, and how far it has come. */
  #connection = 0;
  #isOpen = false;
  /** Its recorder told when it was open: frames sent by hand were unknown to the session, and are so again. */
  #tellsOpening = true;
  #isPlaying = false;
  #asked = false;
  #isWhole = false;
  /** Everything before is to be done at once; then it is told. */
  #forward: { toUs: number; done: () => void } | null = null;
  readonly #heard = new Set<number>();
  #stopWaiting = (): void => {};
  #index = -1;
  #missing = 0;

  constructor({ endpoint, address, impairments, handlers, ...options }: ReplayRunOptions) {
    const { environment } = options;
    this.clock = new ReplayClock(environment);
    this.#endpoint = endpoint;
    this.#handlers = handlers;
    this.#schedule = new Schedule(impairments);
    const replayed: SessionEnvironment = {
      // Times are those of the listener: what is heard is heard now, whatever the speed.
      nowMs: () => environment.nowMs(),
      after: (delayMs, task) => this.clock.after(delayMs, task),
      openSocket: (_address, socket) => {
        this.#socket = socket;
        return { send() {}, close() {} };
      },
    };
    this.session = new Session({ ...options, replayed });
    this.#reenactment = new Reenactment(environment, this.session.parts);
    const base = address.endsWith(endpoint.path) ? address.slice(0, -endpoint.path.length) : address;
    this.session.handle({
      type: 'target',
      target: { endpoint: endpoint.id, base, key: '' },
      settings: {},
    });
  }

  /** The entry that was done last; −1: none. */
  get index(): number {
    return this.#index;
  }

  /** Everything has been done. */
  get isOver(): boolean {
    return this.#isWhole && this.#schedule.length === 0;
  }

  get isForwarding(): boolean {
    return this.#forward !== null;
  }

  /** Entries whose payload was not kept, and that could not be done again. */
  get missing(): number {
    return this.#missing;
  }

  /** The next entries of the recording; with the last ones there are no more. */
  add(entries: readonly ShownEntry[], isLast: boolean): void {
    this.#asked = false;
    for (const entry of entries) this.#schedule.add(entry);
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

  /**
   * Does everything up to that time at once. What had been heard by then, and where that is not recorded, what was there
   * by then, is not heard; turns that were still to be heard are, from their beginning.
   */
  forwardTo(toUs: number, done: () => void): void {
    this.#forward = { toUs, done };
    this.#goOn();
  }

  end(): void {
    this.#stopWaiting();
    this.clock.end();
    this.session.handle({ type: 'detachPlayer' });
    this.#forward = null;
  }

  /** Does what is due, and waits for what comes next. */
  #goOn(): void {
    this.#stopWaiting();
    this.#stopWaiting = () => {};
    let hasMoved = false;
    for (;;) {
      const next = this.#schedule.peek();
      if (next === null || next === 'unknown') break;
      const isPassed = this.#forward !== null && next.dueUs <= this.#forward.toUs;
      if (!isPassed && next.dueUs / 1000 > this.clock.nowMs() + EARLY_MS) break;
      if (isPassed) this.clock.advanceTo(next.dueUs / 1000);
      this.#schedule.take();
      this.#index = Math.max(this.#index, next.entry.index);
      this.#do(next.entry);
      hasMoved = true;
    }
    const next = this.#schedule.peek();
    // A way that was made long holds back many, of which none is due before one that is not there yet.
    if (!this.#isWhole && !this.#asked && (this.#schedule.length < FEW || next === 'unknown')) {
      this.#asked = true;
      this.#handlers.wantsMore();
    }
    if (next !== 'unknown') this.#arrive();
    // Without its next entry time stands still, so that none comes late for want of reading.
    this.clock.run(this.#isPlaying && next !== 'unknown');
    if (next !== null && next !== 'unknown') {
      const waitMs = Math.max(0, next.dueUs / 1000 - this.clock.nowMs());
      this.#stopWaiting = this.clock.after(waitMs, () => this.#goOn());
    }
    if (hasMoved || next === null) this.#handlers.moved();
  }

  #arrive(): void {
    const forward = this.#forward;
    if (!forward) return;
    this.#forward = null;
    this.clock.advanceTo(forward.toUs / 1000);
    const tells = this.#heard.size > 0;
    this.#reenactment.skip((turn) => (tells ? this.#heard.has(turn.id) : turn.samples > 0));
    forward.done();
  }

  #do(entry: ShownEntry): void {
    switch (entry.direction) {
      case 'connection':
        this.#happen(entry);
        break;
      case 'out':
        this.#send(entry);
        break;
      case 'in':
        this.#receive(entry);
        break;
      case 'player':
        this.#act(entry);
        break;
    }
  }

  #happen({ kind, connection, payload }: ShownEntry): void {
    if (kind === 'opening') {
      this.#open(connection, toldIn(payload).replaces === true);
      this.#tellsOpening = false;
      return;
    }
    if (connection !== this.#connection) return;
    switch (kind) {
      case 'opened':
        this.#tellsOpening = true;
        this.#opened();
        break;
      case 'closed':
      case 'failed': {
        const { code, reason, asked, left } = closingOf(payload);
        this.#isOpen = false;
        this.#tellsOpening = true;
        if (left) {
          this.#reenactment.left();
          break;
        }
        if (asked) this.#reenactment.closing();
        this.#socket?.closed(code, reason);
        break;
      }
    }
  }

  #open(connection: number, replaces = false): void {
    // A recording from elsewhere does not tell when the one before it ended.
    if (this.#isOpen) this.#reenactment.left();
    this.#isOpen = false;
    this.#connection = connection;
    this.#reenactment.opens(replaces);
  }

  #opened(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#socket?.opened();
  }

  /** False for a frame of a connection that is left: one is followed at a time. */
  #isOn(connection: number): boolean {
    if (connection < this.#connection) return false;
    if (connection > this.#connection) this.#open(connection);
    this.#opened();
    return true;
  }

  #send({ kind, connection, turn, payload }: ShownEntry): void {
    if (!this.#isOn(connection)) return;
    if (payload === null) {
      this.#missing += 1;
      return;
    }
    const isByHand = kind === BY_HAND && this.#tellsOpening;
    this.#reenactment.sent(payload, isByHand ? [] : this.#endpoint.readIntents(payload), turn);
  }

  #receive({ connection, turn, payload }: ShownEntry): void {
    if (!this.#isOn(connection)) return;
    if (payload === null) {
      this.#missing += 1;
      return;
    }
    if (turn !== null) this.#reenactment.expects(turn);
    this.#socket?.received(payload);
  }

  #act(entry: ShownEntry): void {
    const reenactment = this.#reenactment;
    if (entry.kind === 'heard' && entry.turn !== null) this.#heard.add(entry.turn);
    const act = userActionOf(entry);
    switch (act?.kind) {
      case 'begun':
        if (act.turn === null) break;
        reenactment.begun({ turn: act.turn, context: act.context ?? '', origin: act.origin, line: act.line });
        break;
      case 'line':
        reenactment.listens(act.listening, act.pauseMs);
        if (act.turn !== null) reenactment.line(act.turn, act.interrupts);
        break;
      case 'listening':
        reenactment.listens(act.listening, act.pauseMs);
        break;
      case 'cancelled':
        reenactment.cancelled(act.context);
        break;
      case 'disconnected':
        this.session.handle({ type: 'disconnect' });
        break;
    }
  }
}

/** As a recorder names a frame that was written by hand, and a file from elsewhere any frame that went out. */
const BY_HAND = 'sent';

/** Timers go off a fraction early; what is due within a microsecond is due. */
const EARLY_MS = 0.001;

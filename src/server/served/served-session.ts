import { counted } from '#lib/format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isCut, StepReader } from '#record/client-steps.ts';
import { reopen } from '#record/entry-decoder.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import type { Connection, Session } from '../connection.ts';
import type { ServedRun } from './cassette.ts';
import { type ClientDifference, clientDifferenceWords } from './client-difference.ts';
import { ClientIds } from './client-ids.ts';
import { isOfOpenTurn, Lane, recordedPlace, type SentStep } from './lane.ts';
import type {
  AskEvent,
  CloseEvent,
  FrameEvent,
  LaneKey,
  RecordedStep,
  ScriptEvent,
  ServedScript,
} from './script.ts';

/** Time behind the recorded one after which a waiting client is closed. */
const PATIENCE_MS = 5000;
/** Close code of a connection with the difference of its client as the reason. */
export const CLOSE_DIFFERENT = 1011;
/** Messages that cross a close on their way arrive at most this long before it. */
const CROSSING_MS = 1000;
/** Events without a wait in between, after which the client is read. */
const EVENTS_AT_ONCE = 32;

export interface Manner {
  /** `recorded`: frames keep their distance in time from what the client had sent. */
  pace: 'recorded' | 'fast';
  /** Compares frames instead of their meaning. */
  strict: boolean;
  /** Closes a connection at its first difference. */
  closes: boolean;
}

interface Options {
  endpoint: Endpoint;
  script: ServedScript;
  manner: Manner;
  restart: { code: number; reason: string };
  run: Pick<ServedRun, 'differs' | 'moves'>;
}

/** Plays the server of a recorded connection. */
export class ServedSession implements Session {
  readonly #connection: Connection;
  readonly #options: Options;
  readonly #script: ServedScript;
  /** Writes what no recording holds. */
  readonly #dialect: Dialect;
  readonly #reader: StepReader;
  readonly #ids: ClientIds;
  readonly #lanes = new Map<LaneKey, Lane>();
  /** Of contexts that the recording does not have. */
  readonly #beside: Lane;
  /** Compares frames; null where their meaning is compared. */
  readonly #frames: Lane | null;
  readonly #openedMs: number;
  #message = 0;
  /** Where the play is. */
  #now: ScriptEvent | null = null;
  #framesSent = 0;
  /** Frames that are not played at their place: sent before, or cut off. */
  readonly #passed = new Set<FrameEvent>();
  /** The client's last step before the next frames, on both clocks. */
  #anchor: { ms: number; us: number };
  /** The client sent something behind the last frame. */
  #isUnanswered = false;
  #lastMs = 0;
  /** When all audio can have been heard. */
  #heardMs = 0;
  #isOver = false;
  /** The connection was closed for a difference, so that further ones follow from it. */
  #isRefused = false;
  #wake = () => {};

  constructor(connection: Connection, options: Options) {
    const { endpoint, script, manner } = options;
    this.#connection = connection;
    this.#options = options;
    this.#script = script;
    this.#dialect = reopen(endpoint, script);
    this.#reader = new StepReader(endpoint);
    this.#ids = new ClientIds(
      endpoint.clientIds,
      script.sent.map(({ frame }) => frame),
    );
    this.#openedMs = connection.clock.nowMs();
    this.#anchor = { ms: 0, us: script.openedUs };
    const differs = (difference: ClientDifference) => this.#differs(difference);
    const frames = () => script.sent.map(({ frame, entry, atUs }) => ({ ...frameStep(frame), entry, atUs }));
    this.#frames = manner.strict ? new Lane(frames(), differs) : null;
    const differsInMeaning = manner.strict ? () => {} : differs;
    for (const [key, steps] of script.steps) this.#lanes.set(key, new Lane(steps, differsInMeaning));
    this.#beside = new Lane([], differsInMeaning);
    connection.background(() => this.#play());
  }

  text(message: string): void {
    this.#take(message);
  }

  binary(message: Uint8Array): void {
    this.#take(message as Frame);
  }

  gone(): void {
    this.#isOver = true;
    this.#wake();
    if (this.#isRefused) return;
    for (const lane of [...this.#lanes.values(), this.#beside])
      lane.end(this.#dialect.traits.cancel === 'none');
    this.#frames?.end(false);
    const { length: left } = this.#ahead();
    if (left > 0)
      this.#options.run.moves(`end of the connection: ${counted(left, 'recorded frame')} left unsent`);
  }

  goingAway(): void {
    this.#close(this.#options.restart.code, this.#options.restart.reason);
  }

  get #nowMs(): number {
    return this.#connection.clock.nowMs() - this.#openedMs;
  }

  #take(message: Frame): void {
    this.#message += 1;
    const frame = this.#ids.recorded(message);
    const at = { message: this.#message, atMs: this.#nowMs };
    const steps = this.#reader.read(frame).map((step): SentStep => ({ ...step, ...at }));
    if (steps.length === 0) return;
    this.#lastMs = at.atMs;
    this.#isUnanswered = true;
    this.#frames?.take({ ...frameStep(frame), ...at });
    for (const step of steps) {
      // The recording ended while its connection was open.
      if (step.kind === 'disconnect' && this.#now === null) {
        this.#close(CLOSE_CODES.normal, '');
        return;
      }
      const matched = this.#laneOf(step.context).take(step);
      if (isCut(step)) this.#cut(step, matched);
    }
    this.#wake();
  }

  #laneOf(key: LaneKey): Lane {
    return this.#lanes.get(key) ?? this.#beside;
  }

  /** Cuts off the speech that a cancel abandons, unless the recorded one came no later. */
  #cut(step: SentStep, recorded: RecordedStep | null): void {
    const { framesBefore = this.#framesSent, confirmation = null } = recorded?.cut ?? {};
    if (framesBefore !== this.#framesSent)
      this.#options.run.moves(
        `${step.kind} (message ${step.message}): after ${this.#framesSent} frames, recorded after ${framesBefore}`,
      );
    if (recorded && step.context === null)
      for (const lane of this.#lanes.values()) lane.abandon(recorded.entry);
    const left = this.#ahead().filter(
      ({ turn, context }) =>
        turn !== null && (step.context === null || context === null || context === step.context),
    );
    // Everything before the recorded cancel was sent.
    if (recorded && !left.some(({ entry }) => entry < recorded.entry)) return;
    const end = confirmation?.entry ?? recorded?.entry ?? null;
    for (const event of left)
      if (end === null ? this.#hasBegun(event) : event.entry < end) this.#passed.add(event);
    if (confirmation) this.#passed.add(confirmation);
    const what = step.kind === 'cancel' ? 'cancel' : 'closeContext';
    const frames = confirmation ? [confirmation.frame] : this.#dialect.confirm?.(what, step.context);
    for (const frame of frames ?? []) this.#send(frame);
  }

  /** The frames that are still to be sent. */
  #ahead(): FrameEvent[] {
    const { events } = this.#script;
    return events
      .slice(this.#now ? events.indexOf(this.#now) : events.length)
      .filter((event): event is FrameEvent => event.kind === 'frame' && !this.#passed.has(event));
  }

  #hasBegun({ turn }: FrameEvent): boolean {
    const start = turn === null ? undefined : this.#script.turnStarts.get(turn);
    return start === undefined || this.#laneOf(start.lane).hasReached(start);
  }

  async #play(): Promise<void> {
    let sinceWait = 0;
    let beforeUs = this.#script.openedUs;
    for (const event of this.#script.events) {
      this.#now = event;
      const gapMs = Math.max(0, (event.atUs - beforeUs) / 1000);
      beforeUs = event.atUs;
      sinceWait = (sinceWait + 1) % EVENTS_AT_ONCE;
      if (sinceWait === 0) await new Promise((resolve) => setImmediate(resolve));
      if (event.kind === 'ask') await this.#asked(event, gapMs);
      else if (event.kind === 'close') await this.#closed(event, gapMs);
      else {
        await this.#due(event);
        await this.#connection.drained();
        if (!this.#isOver && !this.#passed.has(event)) this.#send(event.frame, event.audioMs);
      }
      if (this.#isOver) return;
    }
    this.#now = null;
    await this.#until(() => false, 0, null, this.#script.isCutOff);
  }

  async #asked({ marks, atUs }: AskEvent, gapMs: number): Promise<void> {
    const lanes = marks.map((mark) => ({ lane: this.#laneOf(mark.lane), mark }));
    const { lane, mark } = lanes.find((one) => !one.lane.hasReached(one.mark)) ?? {};
    const next = (lane && mark && this.#script.steps.get(mark.lane)?.[mark.step]) ?? null;
    const isOfTurn = next !== null && (isOfOpenTurn(next) || (lane?.isTyping ?? false));
    await this.#until(() => lanes.every((one) => one.lane.hasReached(one.mark)), gapMs, next, isOfTurn);
    const times = lanes.map((one) => one.lane.reachedMs(one.mark) ?? this.#nowMs);
    const ms = Math.max(...times);
    // A client may send the steps of several contexts in another order. The frames follow the last one.
    if (ms > this.#anchor.ms || (ms === this.#anchor.ms && atUs > this.#anchor.us))
      this.#anchor = { ms, us: atUs };
  }

  #dueMs({ atUs }: FrameEvent | CloseEvent): number {
    return this.#anchor.ms + (atUs - this.#anchor.us) / 1000;
  }

  /** Waits until a frame is due, or was cut off. */
  async #due(event: FrameEvent | CloseEvent): Promise<void> {
    if (this.#options.manner.pace === 'fast') return;
    const dueMs = this.#dueMs(event);
    while (!this.#isOver && !(event.kind === 'frame' && this.#passed.has(event))) {
      const leftMs = dueMs - this.#nowMs;
      if (leftMs <= 0) return;
      await this.#changed(leftMs);
    }
  }

  async #closed(event: CloseEvent, gapMs: number): Promise<void> {
    const { asked, left, code, reason } = event.close;
    const isAskedFor = [...this.#script.steps.values()].some((steps) => steps.at(-1)?.kind === 'disconnect');
    if ((asked && !isAskedFor) || left) return this.#until(() => false, gapMs, null, this.#script.isCutOff);
    await this.#due(event);
    if (code === CLOSE_CODES.abnormal) this.#connection.reset();
    // A file may hold any number.
    else this.#close(isSentCode(code) ? code : CLOSE_CODES.none, reason);
  }

  /**
   * Waits for the client. Where the client waits as well, closes the connection once its audio can have been played.
   * @param isInTurn the client waits for the rest of its turn, unless it sends more
   */
  async #until(
    isReached: () => boolean,
    gapMs: number,
    next: RecordedStep | null,
    isInTurn: boolean,
  ): Promise<void> {
    while (!this.#isOver && !isReached()) {
      const leftMs = Math.max(this.#lastMs, this.#heardMs) + gapMs + PATIENCE_MS - this.#nowMs;
      const isWaiting = this.#isUnanswered || isInTurn;
      if (isWaiting && leftMs <= 0) return this.#giveUp(next);
      await this.#changed(isWaiting ? leftMs : null);
    }
  }

  /** Resolves with the next message or the end of the connection, or after that time. */
  #changed(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const stop = ms === null ? () => {} : this.#connection.clock.after(ms, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
  }

  #giveUp(next: RecordedStep | null): void {
    const difference: ClientDifference = {
      kind: 'waiting',
      recorded: next && recordedPlace(next),
      client: null,
    };
    this.#options.run.differs(difference);
    this.#refuse(difference);
  }

  #differs(difference: ClientDifference): void {
    if (this.#isRefused || this.#isCrossing(difference)) return;
    this.#options.run.differs(difference);
    if (this.#options.manner.closes) this.#refuse(difference);
  }

  /** A server that refuses a connection reads no further message of its client, so that none is recorded. */
  #isCrossing({ kind, client }: ClientDifference): boolean {
    const last = this.#script.events.at(-1);
    if (kind !== 'extra' || !client || last?.kind !== 'close' || last.close.asked || last.close.left)
      return false;
    const lanes = this.#frames ? [this.#frames] : [...this.#lanes.values()];
    return lanes.every((lane) => lane.isComplete) && this.#dueMs(last) - client.atMs < CROSSING_MS;
  }

  #refuse(difference: ClientDifference): void {
    this.#isRefused = true;
    this.#close(CLOSE_DIFFERENT, clientDifferenceWords(difference));
  }

  #send(frame: Frame, audioMs = 0): void {
    this.#heardMs = Math.max(this.#heardMs, this.#nowMs) + audioMs;
    this.#connection.send(this.#ids.ofClient(frame));
    this.#framesSent += 1;
    this.#isUnanswered = false;
    this.#lastMs = this.#nowMs;
  }

  #close(code: number, reason: string): void {
    this.#isOver = true;
    this.#wake();
    this.#connection.close(code, shortReason(reason));
  }
}

/** Codes that a close frame may carry, or none (RFC 6455, 7.4). */
const isSentCode = (code: number): boolean =>
  Number.isInteger(code) &&
  ((code >= 3000 && code < 5000) ||
    (code >= 1000 && code < 1015 && code !== 1004 && code !== CLOSE_CODES.abnormal));

/** A close frame carries at most 123 bytes (RFC 6455, 5.5). */
const MAX_REASON_BYTES = 123;

function shortReason(reason: string): string {
  if (Buffer.byteLength(reason) <= MAX_REASON_BYTES) return reason;
  const end = Buffer.byteLength('…');
  const kept = Buffer.from(reason)
    .subarray(0, MAX_REASON_BYTES - end)
    .toString('utf8');
  return `${kept.replace(/\uFFFD+$/, '')}…`;
}

/** A whole frame as one step, without keys. */
function frameStep(frame: Frame): SentStep {
  const value = typeof frame === 'string' ? withoutNamedSecrets(frame) : [...frame];
  return { kind: 'message', context: null, text: '', value, message: 0, atMs: 0 };
}

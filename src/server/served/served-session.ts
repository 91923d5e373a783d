import { counted } from '#lib/format.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { isCut, StepReader } from '#trace/client-steps.ts';
import { closeOf, reopen } from '#trace/connection.ts';
import { type Connection, cutReason, type Session } from '../connection.ts';
import type { Manner, ServedRun } from './cassette.ts';
import { type ClientDifference, clientDifferenceWords } from './client-difference.ts';
import { ComparedClient } from './compared-client.ts';
import { CutFrames } from './cut-frames.ts';
import { isOfOpenTurn, type SentStep, stepPlace } from './lane.ts';
import { type RecordedStep, type ScriptEvent, type ServedScript, stepAt } from './script.ts';

/** Time behind the recorded one after which a waiting client is closed. */
const PATIENCE_MS = 5000;
/** Close code of a connection with the difference of its client as the reason. */
export const CLOSE_DIFFERENT = 1011;
/** Messages that cross a close on their way arrive at most this long before it. */
const CROSSING_MS = 1000;
/** Events without a wait in between, after which the client is read. */
const EVENTS_AT_ONCE = 32;

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
  readonly #events: readonly ScriptEvent[];
  /** Writes what no recording holds. */
  readonly #dialect: Dialect;
  readonly #reader: StepReader;
  #client: ComparedClient;
  readonly #openedMs: number;
  #message = 0;
  /** The event that is played. */
  #at = 0;
  #framesSent = 0;
  #cutFrames: CutFrames;
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
    const { endpoint, script } = options;
    this.#connection = connection;
    this.#options = options;
    this.#events = script.events;
    this.#dialect = reopen(endpoint, script);
    this.#reader = new StepReader(endpoint);
    this.#client = this.#newClient(false);
    this.#cutFrames = new CutFrames(script, this.#client);
    this.#openedMs = connection.clock.nowMs();
    this.#anchor = { ms: 0, us: script.openedUs };
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
    this.#client.end(this.#dialect.traits.cancel === 'none');
    const left = this.#cutFrames.leftFrom(this.#at);
    if (left > 0)
      this.#options.run.moves(`end of the connection: ${counted(left, 'recorded frame')} left unsent`);
  }

  goingAway(): void {
    this.#close(this.#options.restart.code, this.#options.restart.reason);
  }

  get #nowMs(): number {
    return this.#connection.clock.nowMs() - this.#openedMs;
  }

  get #isAtEnd(): boolean {
    return this.#at >= this.#events.length;
  }

  #newClient(isAgain: boolean): ComparedClient {
    const { script, manner } = this.#options;
    const differs = (difference: ClientDifference) => this.#differs(difference);
    return new ComparedClient({
      script,
      strict: manner.strict,
      reader: this.#reader,
      isAgain,
      differs,
    });
  }

  #take(message: Frame): void {
    this.#message += 1;
    const { repeats, strict } = this.#options.manner;
    const isAgain = this.#isAtEnd && repeats && !strict && this.#beginsTurn(message);
    if (isAgain) {
      this.#client.end(false);
      this.#reader.forgetContexts();
      this.#client = this.#newClient(true);
    }
    const steps = this.#client.read(message, { message: this.#message, atMs: this.#nowMs });
    if (steps.length === 0) return;
    this.#lastMs = this.#nowMs;
    this.#isUnanswered = true;
    for (const step of steps) {
      // The recording ended while its connection was open.
      if (step.kind === 'disconnect' && this.#isAtEnd && this.#options.script.isOpen) {
        this.#close(CLOSE_CODES.normal, '');
        return;
      }
      const matched = this.#client.take(step);
      if (isCut(step)) this.#cut(step, matched);
    }
    if (isAgain) this.#playAgain(steps[0]?.kind === 'settings');
    this.#wake();
  }

  #beginsTurn(message: Frame): boolean {
    const intents = protocolOf(this.#options.endpoint).readIntents(message);
    return intents.some(
      (intent) => intent.kind === 'openContext' || (intent.kind === 'say' && intent.text !== ''),
    );
  }

  /** Begins with the first turn, or with what precedes it where the client sends settings again. */
  #playAgain(hasSettings: boolean): void {
    const { script } = this.#options;
    const { firstText } = script.played;
    this.#at = hasSettings || firstText === this.#events.length ? 0 : firstText;
    this.#anchor = { ms: this.#nowMs, us: script.openedUs };
    this.#framesSent = 0;
    this.#cutFrames = new CutFrames(script, this.#client);
  }

  /** Cuts off the speech that a cancel abandons, unless the recorded one came no later. */
  #cut(step: SentStep, recorded: RecordedStep | null): void {
    const { framesBefore = this.#framesSent, confirmation = null } = recorded?.cut ?? {};
    if (framesBefore !== this.#framesSent)
      this.#options.run.moves(
        `${step.kind} (message ${step.message}): after ${this.#framesSent} frames, recorded after ${framesBefore}`,
      );
    if (recorded && step.context === null) this.#client.abandon(recorded.entry);
    // Everything before the recorded cancel was sent.
    if (recorded && !this.#cutFrames.isBehind(step.context, recorded, this.#at)) return;
    if (recorded) this.#cutFrames.cutBefore(step.context, confirmation?.index ?? recorded.entry);
    else this.#cutFrames.cutBegun(step.context);
    if (confirmation) this.#cutFrames.send(confirmation);
    const what = step.kind === 'cancel' ? 'cancel' : 'closeContext';
    const frames = confirmation ? [confirmation.payload] : this.#dialect.confirm?.(what, step.context);
    for (const frame of frames ?? []) this.#send(frame);
  }

  async #play(): Promise<void> {
    let sinceWait = 0;
    while (!this.#isOver) {
      sinceWait = (sinceWait + 1) % EVENTS_AT_ONCE;
      if (sinceWait === 0) await new Promise((resolve) => setImmediate(resolve));
      const pause = yieldIfLong();
      if (pause) await pause;
      const event = this.#events[this.#at];
      if (!event) {
        await this.#until(() => !this.#isAtEnd, 0, null, this.#options.script.isCutOff);
        continue;
      }
      if (event.direction === 'out') await this.#asked(event);
      else if (event.direction === 'in') {
        await this.#due(event);
        await this.#connection.drained();
        if (!this.#isOver && !this.#cutFrames.has(event)) this.#send(event.payload, event.audioMs ?? 0);
      } else await this.#end(event);
      this.#at += 1;
    }
  }

  async #asked({ marks, atUs }: ScriptEvent): Promise<void> {
    const client = this.#client;
    const isReached = () => marks.every((mark) => client.hasReached(mark));
    const isEarly = isReached();
    const open = marks.find((mark) => !client.hasReached(mark));
    const next = (open && stepAt(this.#options.script, open)) ?? null;
    const isInTurn = next !== null && (isOfOpenTurn(next) || client.laneOf(next.context).isTyping);
    const gapMs = (atUs - (this.#events[this.#at - 1]?.atUs ?? this.#options.script.openedUs)) / 1000;
    await this.#until(isReached, Math.max(0, gapMs), next, isInTurn);
    // A client may send the steps of several contexts in another order. The frames follow the last one.
    if (!isEarly || atUs > this.#anchor.us) this.#anchor = { ms: this.#nowMs, us: atUs };
  }

  #dueMs({ atUs }: ScriptEvent): number {
    return this.#anchor.ms + (atUs - this.#anchor.us) / 1000;
  }

  /** Waits until an event is due, or was cut off. */
  async #due(event: ScriptEvent): Promise<void> {
    if (this.#options.manner.pace === 'fast') return;
    const dueMs = this.#dueMs(event);
    while (!this.#isOver && !this.#cutFrames.has(event)) {
      const leftMs = dueMs - this.#nowMs;
      if (leftMs <= 0) return;
      await this.#changed(leftMs);
    }
  }

  async #end(event: ScriptEvent): Promise<void> {
    const { code, reason } = closeOf(event.payload);
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
      recorded: next && (() => stepPlace(next)),
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
  #isCrossing({ kind, sentMs }: ClientDifference): boolean {
    const last = this.#events.at(-1);
    const { end } = this.#options.script.played;
    if (kind !== 'extra' || sentMs === undefined || !last || !end) return false;
    const isRefusal = !end.asked && this.#client.isComplete;
    return isRefusal && this.#dueMs(last) - sentMs < CROSSING_MS;
  }

  #refuse(difference: ClientDifference): void {
    this.#isRefused = true;
    this.#close(CLOSE_DIFFERENT, clientDifferenceWords(difference));
  }

  #send(frame: Frame, audioMs = 0): void {
    this.#heardMs = Math.max(this.#heardMs, this.#nowMs) + audioMs;
    this.#connection.send(this.#client.withItsIds(frame));
    this.#framesSent += 1;
    this.#isUnanswered = false;
    this.#lastMs = this.#nowMs;
  }

  #close(code: number, reason: string): void {
    this.#isOver = true;
    this.#wake();
    this.#connection.close(code, cutReason(reason));
  }
}

/** Codes that a close frame may carry, or none (RFC 6455, 7.4). */
const isSentCode = (code: number): boolean =>
  Number.isInteger(code) &&
  ((code >= 3000 && code < 5000) ||
    (code >= 1000 && code < 1015 && code !== 1004 && code !== CLOSE_CODES.abnormal));

import { parseBounded } from '#protocol/core/json-frame.ts';
import { type FluxMessage, MAX_AGE_MS, type SpeakMessage } from '#protocol/deepgram/wire/client-frames.ts';
import { type ErrorCode, socketError } from '#protocol/deepgram/wire/errors.ts';
import type { SentFluxFrame, SentSpeakFrame } from '#protocol/deepgram/wire/server-frames.ts';
import type { Encoder } from '../audio/audio-file.ts';
import { type Connection, GOING_AWAY_CLOSE, type Session } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import type { Engine } from '../speech/engine.ts';
import { WaitingText } from '../speech/generation-queue.ts';
import type { Lease } from '../state/key-accounts.ts';
import { type ModelSpeaker, requestOf } from './address.ts';
import { SpeakTurn } from './speak-turn.ts';
import { identityOf } from './voices.ts';

export interface SpeakSessionOptions {
  connection: Connection;
  engine: Engine;
  log: Log;
  meter: EndpointMeter;
  /** Fairness key at the engine. */
  requestId: string;
  speaker: ModelSpeaker;
  encoder: Encoder;
  /** In Hz. */
  sampleRate: number;
  /** Ends with the connection. */
  lease: Lease;
}

const CLOSE_NORMAL = 1000;

/** The common part of both sockets: turns one after another, errors and the end. */
export abstract class DeepgramSession<
  M extends SpeakMessage | FluxMessage,
  S extends SentSpeakFrame | SentFluxFrame,
> implements Session
{
  protected readonly options: SpeakSessionOptions;
  readonly #waitingText: WaitingText;
  readonly #stopAgeTimer: () => void;
  /** The first one is spoken. The last one takes text, unless it is ending. */
  #turns: SpeakTurn[] = [];
  /** The client has asked for the close. */
  protected isClosing = false;
  #isLeaving = false;
  /** Nothing more is read or sent. */
  protected isOver = false;

  constructor(options: SpeakSessionOptions) {
    this.options = options;
    const { connection } = options;
    this.#waitingText = new WaitingText(connection);
    this.#stopAgeTimer = connection.clock.after(MAX_AGE_MS, () => this.fail('NET-0003'));
  }

  protected abstract parse(fields: object): { ok: true; value: M } | { ok: false };
  /** The code of a message that is no JSON object. */
  protected abstract readonly unreadable: ErrorCode;
  protected abstract accept(message: Exclude<M, { type: 'Close' }>): void;
  protected abstract ended(turn: SpeakTurn): void;
  protected started(_: SpeakTurn): void {}
  protected beforeLast(_: SpeakTurn): void {}
  /** The last words before the close that the client asked for. */
  protected leaving(): void {}
  /** On `/v1/speak`, the close is the report (`facts-deepgram 3.7.1`). */
  protected reportError(_: ReturnType<typeof socketError>): void {}

  text(message: string): void {
    if (this.isOver || this.isClosing || this.#isLeaving) return;
    const read = parseBounded(message);
    const parsed = 'fields' in read ? this.parse(read.fields) : null;
    if (!parsed?.ok) this.fail(parsed ? 'DATA-0000' : this.unreadable);
    else if (parsed.value.type !== 'Close') this.accept(parsed.value as Exclude<M, { type: 'Close' }>);
    else {
      this.isClosing = true;
      this.openTurn?.end();
      this.#settle();
    }
  }

  binary(): void {
    if (!this.isOver) this.fail('MESSAGE-0000');
  }

  gone(): void {
    this.stop();
    this.options.lease.leave();
  }

  goingAway(): void {
    if (this.isOver) return;
    this.#isLeaving = true;
    this.#settle();
  }

  protected get identity() {
    const { requestId, speaker } = this.options;
    const { uuid, version } = identityOf(speaker.model);
    const model = { request_id: requestId, model_name: speaker.model.id, model_version: version };
    return { uuid, model };
  }

  /** The turn that is spoken. */
  protected get current(): SpeakTurn | undefined {
    return this.#turns[0];
  }

  /** The turn that takes text. */
  protected get openTurn(): SpeakTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.isEnding ? undefined : last;
  }

  /** Drops so many turns, the first ones, without a word. */
  protected drop(turns: number): void {
    for (const turn of this.#turns.splice(0, turns)) turn.stop();
  }

  /** Starts the next turn after one has ended or was dropped. */
  protected proceed(): void {
    const [next] = this.#turns;
    if (next) this.#start(next);
    else this.#settle();
  }

  protected send(message: S): void {
    if (!this.isOver) this.options.connection.send(JSON.stringify(message));
  }

  /** Ends the connection with an error. */
  protected fail(code: ErrorCode): void {
    if (this.isOver) return;
    this.options.meter.refused(code);
    const error = socketError(code);
    this.reportError(error);
    this.#close(error.close, error.reason);
  }

  protected stop(): void {
    this.isOver = true;
    this.#stopAgeTimer();
    this.drop(this.#turns.length);
  }

  /** Begins a turn that takes text. */
  protected begin(): SpeakTurn {
    const { connection, engine, encoder, requestId, speaker, sampleRate, log } = this.options;
    const turn: SpeakTurn = new SpeakTurn({
      connection,
      engine,
      encoder,
      waiting: this.#waitingText,
      request: (text) => ({ ...requestOf(speaker, text, sampleRate), session: requestId }),
      beforeLast: () => this.beforeLast(turn),
      ended: () => {
        this.#turns.shift();
        this.ended(turn);
        this.proceed();
      },
      settled: () => this.#settle(),
      failed: (error) => {
        log.error({ requestId, ...faultFields(error) }, 'generation failed');
        this.fail('NET-0000');
      },
    });
    this.#turns.push(turn);
    if (this.#turns.length === 1) this.#start(turn);
    return turn;
  }

  #start(turn: SpeakTurn): void {
    this.started(turn);
    turn.open();
  }

  /** Closes where the client or the server wants that, once nothing is to be spoken. */
  #settle(): void {
    if (this.isOver) return;
    if (this.isClosing && this.#turns.length === 0) {
      this.leaving();
      this.#close(CLOSE_NORMAL, '');
    } else if (this.#isLeaving && !this.#turns.some(({ isBusy }) => isBusy)) {
      this.#close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
    }
  }

  #close(code: number, reason: string): void {
    this.stop();
    this.options.connection.close(code, reason);
  }
}

import { count } from '#lib/format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import type { FluxMessage, SpeakMessage } from '#protocol/deepgram/wire/client-frames.ts';
import { type ErrorCode, socketError } from '#protocol/deepgram/wire/errors.ts';
import type { SentFluxFrame, SentSpeakFrame } from '#protocol/deepgram/wire/server-frames.ts';
import { MAX_AGE_MS } from '#protocol/deepgram/wire/settings.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { JsonSession } from '../sessions/json-session.ts';
import type { Lease } from '../state/key-accounts.ts';
import type { DeepgramServices } from './access.ts';
import { type ModelSpeaker, requestOf } from './address.ts';
import { SpeakTurn } from './speak-turn.ts';
import { identityOf } from './voices.ts';

export interface SpeakSessionOptions {
  connection: Connection;
  services: Pick<DeepgramServices, 'engine' | 'log'>;
  meter: EndpointMeter;
  /** Fairness key at the engine. */
  requestId: string;
  speaker: ModelSpeaker;
  encode(samples: Int16Array): Uint8Array;
  /** In Hz. */
  sampleRate: number;
  /** Ends with the connection. */
  lease: Lease;
  /** The key has the vendor's limits of texts and flushes within a minute. */
  isLimited: boolean;
}

/** The common part of both sockets: turns one after another, errors and the end. */
export abstract class DeepgramSession<
  M extends SpeakMessage | FluxMessage,
  S extends SentSpeakFrame | SentFluxFrame,
> extends JsonSession<SpeakSessionOptions> {
  /** The first one is spoken. The last one takes text, unless it is ending. */
  #turns: SpeakTurn[] = [];
  /** The client has asked for the close. */
  protected isClosing = false;

  constructor(options: SpeakSessionOptions) {
    super(options);
    this.onceAfter(MAX_AGE_MS, () => this.fail('NET-0003'));
  }

  protected abstract parse(fields: Fields): { ok: true; value: M } | { ok: false };
  protected abstract accept(message: Exclude<M, { type: 'Close' }>): void;
  protected abstract ended(turn: SpeakTurn): void;
  protected started(_: SpeakTurn): void {}
  protected beforeLast(_: SpeakTurn): void {}
  /** No more text of the open turn follows. */
  protected endText(): void {}
  /** The last words before the close that the client asked for. */
  protected leaving(): void {}
  /** On `/v1/speak`, the close is the report. */
  protected reportError(_: ReturnType<typeof socketError>): void {}

  protected get contexts(): readonly SpeakTurn[] {
    return this.#turns;
  }

  override text(message: string): void {
    if (!this.isClosing) super.text(message);
  }

  protected read(fields: Fields): void {
    const parsed = this.parse(fields);
    if (!parsed.ok) this.fail('DATA-0000');
    else if (parsed.value.type !== 'Close') this.accept(parsed.value as Exclude<M, { type: 'Close' }>);
    else {
      this.isClosing = true;
      this.endText();
      this.openTurn?.end();
      this.#closeIfDone();
    }
  }

  binary(): void {
    this.fail('MESSAGE-0000');
  }

  override gone(): void {
    super.gone();
    this.options.lease.leave();
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
    else this.#closeIfDone();
  }

  protected sendFrame(frame: S): void {
    this.send(JSON.stringify(frame));
  }

  /** Ends the connection with an error. @param description instead of the usual one */
  protected fail(code: ErrorCode, description?: string): void {
    if (this.isOver) return;
    this.options.meter.refused(code);
    const error = socketError(code, description);
    this.reportError(error);
    this.close(error.close, error.reason);
  }

  /** Ends the connection of a client whose text is too long. @param what as in "one Speak" */
  protected failTooLong(what: string, maxChars: number): void {
    this.fail('BIG-0001', `${what} has more than ${count(maxChars)} characters.`);
  }

  /** Begins a turn that takes text. */
  protected begin(): SpeakTurn {
    const { encode, speaker, sampleRate } = this.options;
    const turn: SpeakTurn = new SpeakTurn({
      ...this.partsOfContext(() => this.fail('NET-0000')),
      encode,
      request: (text) => requestOf(speaker, text, sampleRate),
      beforeLast: () => this.beforeLast(turn),
      finished: () => {
        this.#turns.shift();
        this.ended(turn);
        this.proceed();
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

  /** Closes where the client wants that, once all turns have ended. */
  #closeIfDone(): void {
    if (!this.isClosing || this.#turns.length > 0) return;
    this.leaving();
    this.close(CLOSE_CODES.normal, '');
  }
}

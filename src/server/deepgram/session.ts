import { count } from '#lib/format.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import type { FluxMessage, SpeakMessage } from '#protocol/deepgram/wire/client-frames.ts';
import { type ErrorCode, socketError } from '#protocol/deepgram/wire/errors.ts';
import type { SentFluxFrame, SentSpeakFrame } from '#protocol/deepgram/wire/server-frames.ts';
import { MAX_AGE_MS } from '#protocol/deepgram/wire/settings.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { SpeakTurn } from '../sessions/speak-turn.ts';
import { TurnsSession } from '../sessions/turns-session.ts';
import type { Lease } from '../state/key-accounts.ts';
import type { DeepgramServices } from './access.ts';
import { type ModelSpeaker, requestOf } from './address.ts';
import { identityOf } from './voices.ts';

/** Length of an audio frame (deepgram-audio-8). */
const FRAME_SECONDS = 0.04;
/** Text without the end of a sentence is cut here (deepgram-text-7). */
const MAX_BUFFER_CHARS = 2000;

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
> extends TurnsSession<SpeakSessionOptions> {
  constructor(options: SpeakSessionOptions) {
    super(options);
    this.onceAfter(MAX_AGE_MS, () => this.fail('NET-0003'));
  }

  protected abstract parse(fields: Fields): { ok: true; value: M } | { ok: false };
  protected abstract accept(message: Exclude<M, { type: 'Close' }>): void;
  protected beforeLast(_: SpeakTurn): void {}
  /** No more text of the open turn follows. */
  protected endText(): void {}
  /** On `/v1/speak`, the close is the report. */
  protected reportError(_: ReturnType<typeof socketError>): void {}

  protected read(fields: Fields): void {
    const parsed = this.parse(fields);
    if (!parsed.ok) this.fail('DATA-0000');
    else if (parsed.value.type !== 'Close') this.accept(parsed.value as Exclude<M, { type: 'Close' }>);
    else {
      this.endText();
      this.closeBehindTurns();
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
      frameSeconds: FRAME_SECONDS,
      maxBufferLength: MAX_BUFFER_CHARS,
      encode,
      request: (text) => requestOf(speaker, text, sampleRate),
      beforeLast: () => this.beforeLast(turn),
      finished: () => this.finished(turn),
    });
    return this.add(turn);
  }
}

import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssues, type Parsed } from '#protocol/core/issue.ts';
import { type Fields, parseBounded } from '#protocol/core/json-frame.ts';
import { type ClientMessage, deliveryOf } from '#protocol/elevenlabs/wire/client-frames.ts';
import { closeCodeOf, errorFrame } from '#protocol/elevenlabs/wire/errors.ts';
import { idleMsOf } from '#protocol/elevenlabs/wire/settings.ts';
import { type Connection, cutReason, GOING_AWAY_CLOSE, type Session } from '../connection.ts';
import { faultFields } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { WaitingText } from '../speech/generation-queue.ts';
import type { KeyAccount, Lease } from '../state/key-accounts.ts';
import { type ElevenLabsRefusal, INTERNAL_ERROR } from './access.ts';
import { type AddressedSpeaker, speakerIn } from './address.ts';
import type { ElevenLabsServices } from './services.ts';
import { SpokenContext } from './spoken-context.ts';

export interface InputSessionOptions {
  connection: Connection;
  services: ElevenLabsServices;
  meter: EndpointMeter;
  /** Fairness key at the engine. */
  requestId: string;
  /** Of the handshake; empty without one. */
  key: string;
  /** Of the address. */
  settings: Settings;
}

const CLOSE_NORMAL = 1000;
/** Between an error and the close (`facts-elevenlabs 5.1`). */
const ERROR_CLOSE_MS = 800;

const SETTINGS_CHANGED: ElevenLabsRefusal = {
  error: 'voice_settings_changed',
  message:
    'voice_settings field must be provided in the first message and then either be not provided or not change.',
};

/** Runs when nothing has reset it for a time. */
export interface IdleTimer {
  touch(): void;
  stop(): void;
}

/** The common part of both sockets: the key, errors, idle time and the end. */
export abstract class ElevenLabsSession implements Session {
  protected readonly options: InputSessionOptions;
  readonly #parse: (fields: Fields) => Parsed<ClientMessage>;
  readonly #waitingText: WaitingText;
  readonly #idle: IdleTimer;
  readonly #timers = new Set<IdleTimer>();
  protected readonly idleMs: number;
  /** Messages until the key is checked; null from then on. */
  #early: ClientMessage[] | null = [];
  #account: KeyAccount | null = null;
  #speaker: AddressedSpeaker | null = null;
  #isLeaving = false;
  /** Nothing more is read or sent. */
  #isOver = false;
  #cancelClose: () => void = () => {};
  #created = 0;

  constructor(options: InputSessionOptions, parse: (fields: Fields) => Parsed<ClientMessage>) {
    this.options = options;
    this.#parse = parse;
    this.#waitingText = new WaitingText(options.connection);
    this.idleMs = idleMsOf(options.settings);
    this.#idle = this.idleTimer(
      () => this.isBusy,
      () => this.fail(this.timedOut),
    );
  }

  /** Takes a message of a client whose key was accepted. */
  protected abstract accept(message: ClientMessage): void;
  /** Contexts without a final frame. */
  protected abstract get contexts(): readonly SpokenContext[];
  /** The final frame of a context was sent. */
  protected abstract finished(context: SpokenContext): void;
  /** Answers a generation that no credits pay for. */
  protected abstract unpaid(context: SpokenContext, refusal: ElevenLabsRefusal): void;

  protected get timedOut(): ElevenLabsRefusal {
    return {
      error: 'input_timeout_exceeded',
      message: `Have not received a new text input within the timeout of ${(this.idleMs / 1000).toFixed(1)} seconds. Streaming input terminated. Please make sure to either feed the input in the timely manner, or to send the end of input text (empty string "") when done.`,
    };
  }

  text(message: string): void {
    if (this.#isOver || this.#isLeaving) return;
    const read = parseBounded(message);
    if (!('fields' in read)) {
      this.#invalid(`expected a JSON object, got ${read.kind}`);
      return;
    }
    const parsed = this.#parse(read.fields);
    if (!parsed.ok) {
      this.#invalid(describeIssues(parsed.issues));
      return;
    }
    if (parsed.value.text !== undefined) this.#idle.touch();
    if (!this.#early) this.accept(parsed.value);
    else if (this.#early.push(parsed.value) === 1) {
      const { connection, key } = this.options;
      // Messages wait at the client, because the check may take as long as another server.
      connection.pause();
      connection.background(() => this.#admit(key || (parsed.value.key ?? '')));
    }
  }

  binary(): void {
    if (!this.#isOver) this.#invalid('expected a text message with a JSON object, got a binary message');
  }

  gone(): void {
    this.#stop();
    this.#cancelClose();
  }

  goingAway(): void {
    if (this.#isOver) return;
    this.#isLeaving = true;
    this.#closeIfLeaving();
  }

  protected get isBusy(): boolean {
    return this.contexts.some((context) => context.isBusy);
  }

  /** @param settings of its first message */
  protected createContext(id: string | null, settings: Settings | undefined): SpokenContext {
    const { connection, services, requestId } = this.options;
    if (!this.#speaker) throw new Error('a context begins after the first message is accepted');
    this.#created += 1;
    const context: SpokenContext = new SpokenContext({
      id,
      speaker: { ...this.#speaker, delivery: settings ?? {} },
      connection,
      engine: services.engine,
      share: { session: requestId, context: String(this.#created) },
      waiting: this.#waitingText,
      start: (text) => this.#start(text, context),
      send: (message) => this.send(message),
      finished: () => this.finished(context),
      emptied: () => this.#closeIfLeaving(),
      failed: (error) => this.#failed(error),
    });
    return context;
  }

  /** Whether a message has other settings than the first one of its context (`facts-elevenlabs 2.2.1`). */
  protected refusesDelivery(first: string | null, message: ClientMessage): boolean {
    const delivery = deliveryOf(message);
    const isChange = delivery !== null && delivery !== first;
    if (isChange) this.fail(SETTINGS_CHANGED);
    return isChange;
  }

  protected idleTimer(isBusy: () => boolean, expired: () => void): IdleTimer {
    const { clock } = this.options.connection;
    let cancel = () => {};
    const touch = () => {
      cancel();
      if (this.#isOver) return;
      // Ours: a slow engine is not a silent client.
      cancel = clock.after(this.idleMs, () => (isBusy() ? touch() : expired()));
    };
    touch();
    const stop = () => {
      cancel();
      this.#timers.delete(timer);
    };
    const timer: IdleTimer = { touch, stop };
    this.#timers.add(timer);
    return timer;
  }

  protected send(message: string): void {
    if (!this.#isOver) this.options.connection.send(message);
  }

  /** Sends an error frame, and closes a moment later. */
  protected fail({ error, message }: ElevenLabsRefusal, context: string | null = null): void {
    if (this.#isOver) return;
    this.options.meter.refused(error);
    this.send(JSON.stringify(errorFrame(error, message, context)));
    this.closeAfter(ERROR_CLOSE_MS, closeCodeOf(error), cutReason(message));
  }

  protected closeAfter(delayMs: number, code = CLOSE_NORMAL, reason = ''): void {
    if (this.#isOver) return;
    this.#stop();
    const { connection } = this.options;
    const close = () => connection.close(code, reason);
    if (delayMs === 0) close();
    else this.#cancelClose = connection.clock.after(delayMs, close);
  }

  /** Checks key, model, voice and format, which the vendor judges after the first message (`facts-elevenlabs 1.5.3`). */
  async #admit(key: string): Promise<void> {
    const { connection, services, settings } = this.options;
    const admitted = await services.access.admit(key);
    connection.resume();
    if ('refusal' in admitted) {
      this.fail(admitted.refusal);
      return;
    }
    const found = speakerIn(settings, services.voices);
    if ('refusal' in found) {
      this.fail(found.refusal);
      return;
    }
    this.#account = admitted.account;
    this.#speaker = found.speaker;
    const early = this.#early ?? [];
    this.#early = null;
    for (const message of early) if (!this.#isOver) this.accept(message);
  }

  async #start(text: string, context: SpokenContext): Promise<Lease | null> {
    if (!this.#account || !this.#speaker) return null;
    const lease = await this.options.services.access.speak(this.#account, text, this.#speaker.model);
    if ('leave' in lease) {
      if (!this.#isOver) return lease;
      lease.leave();
      return null;
    }
    if (lease.error === 'quota_exceeded') this.unpaid(context, lease);
    else this.fail(lease, context.id);
    return null;
  }

  #failed(error: unknown): void {
    const { services, requestId } = this.options;
    services.log.error({ requestId, ...faultFields(error) }, 'generation failed');
    this.fail(INTERNAL_ERROR);
  }

  /** Ours: what the vendor says of such a message is not known (`facts-elevenlabs 10`, 2 and 6). */
  #invalid(problem: string): void {
    this.fail({ error: 'validation_error', message: `Invalid request: ${problem}` });
  }

  #closeIfLeaving(): void {
    if (this.#isLeaving && !this.isBusy) this.closeAfter(0, GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
  }

  #stop(): void {
    this.#isOver = true;
    for (const timer of this.#timers) timer.stop();
    for (const context of this.contexts) context.stop();
  }
}

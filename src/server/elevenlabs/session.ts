import type { Settings } from '#protocol/core/endpoint.ts';
import { describeIssues, type Parsed } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { type ClientMessage, deliveryOf } from '#protocol/elevenlabs/wire/client-frames.ts';
import { closeCodeOf, errorFrame } from '#protocol/elevenlabs/wire/errors.ts';
import {
  DEFAULT_MODEL,
  idleMsOf,
  isModelId,
  MESSAGE_SETTINGS,
  MODELS,
} from '#protocol/elevenlabs/wire/settings.ts';
import { type Connection, cutReason } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { MAX_SPOKEN_TURN_CHARS } from '../sessions/context-speech.ts';
import { type IdleTimer, JsonSession } from '../sessions/json-session.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import { peerOf } from '../state/shares.ts';
import {
  admit,
  admitSpeech,
  type ChargedLease,
  type ElevenLabsRefusal,
  type ElevenLabsServices,
  INTERNAL_ERROR,
} from './access.ts';
import { type AddressedSpeaker, speakerIn } from './speaker.ts';
import { SpokenContext } from './spoken-context.ts';

export interface InputSessionOptions {
  connection: Connection;
  services: ElevenLabsServices;
  meter: EndpointMeter;
  /** Fairness key at the engine. */
  requestId: string;
  /** Of the client. */
  address: string;
  /** Of the handshake; empty without one. */
  key: string;
  /** Of the address. */
  settings: Settings;
}

/** Between an error and the close (elevenlabs-error-1). */
const ERROR_CLOSE_MS = 800;

const SETTINGS_CHANGED: ElevenLabsRefusal = {
  error: 'voice_settings_changed',
  message:
    'voice_settings field must be provided in the first message and then either be not provided or not change.',
};

/** The common part of both sockets: the key and errors. */
export abstract class ElevenLabsSession extends JsonSession<InputSessionOptions> {
  readonly #parse: (fields: Fields) => Parsed<ClientMessage>;
  readonly #idle: IdleTimer;
  protected readonly idleMs: number;
  /** Messages until the key is checked; null from then on. */
  #early: ClientMessage[] | null = [];
  #account: KeyAccount | null = null;
  #speaker: AddressedSpeaker | null = null;

  constructor(options: InputSessionOptions, parse: (fields: Fields) => Parsed<ClientMessage>) {
    super(options);
    this.#parse = parse;
    this.idleMs = idleMsOf(options.settings);
    this.#idle = this.idleTimer(
      this.idleMs,
      () => this.isBusy,
      () => this.fail(this.timedOut),
    );
  }

  /** Takes a message of a client whose key was accepted. */
  protected abstract accept(message: ClientMessage): void;
  /** Those without a final frame. */
  protected abstract override get contexts(): readonly SpokenContext[];
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

  protected read(fields: Fields): void {
    const parsed = this.#parse(fields);
    if (!parsed.ok) {
      this.unreadable(describeIssues(parsed.issues));
      return;
    }
    const maxChars = maxCharsOf(this.options.settings);
    const length = parsed.value.text?.length ?? 0;
    if (length > maxChars) {
      this.unreadable(`text: expected at most ${maxChars} characters, got ${length}`);
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
    if (!this.isOver) this.unreadable('expected a text message with a JSON object, got a binary message');
  }

  /** @param settings of its first message */
  protected createContext(id: string | null, settings: Settings | undefined): SpokenContext {
    if (!this.#speaker || !this.#account)
      throw new Error('a context begins after the first message is accepted');
    const context: SpokenContext = new SpokenContext({
      ...this.partsOfContext(() => this.fail(INTERNAL_ERROR)),
      id,
      speaker: { ...this.#speaker, delivery: known(settings ?? {}) },
      peer: peerOf(this.options.address, this.#account),
      start: (text) => this.#start(text, context),
      finished: () => this.finished(context),
    });
    return context;
  }

  /** Whether a message has other settings than the first one of its context. */
  protected refusesDelivery(first: string | null, message: ClientMessage): boolean {
    const delivery = deliveryOf(message);
    const isChange = delivery !== null && delivery !== first;
    if (isChange) this.fail(SETTINGS_CHANGED);
    return isChange;
  }

  /** Adds text to a context, or refuses it. */
  protected say(context: SpokenContext, text: string): void {
    if (!context.isTooLongWith(text)) context.say(text);
    else
      this.unreadable(`text: expected at most ${MAX_SPOKEN_TURN_CHARS} characters without a flush, got more`);
  }

  /** Sends an error frame, and closes a moment later. */
  protected fail({ error, message }: ElevenLabsRefusal, context: string | null = null): void {
    if (this.isOver) return;
    this.options.meter.refused(error);
    this.send(JSON.stringify(errorFrame(error, message, context)));
    this.close(closeCodeOf(error), cutReason(message), ERROR_CLOSE_MS);
  }

  /** Checks key, model, voice and format, which the vendor judges after the first message. */
  async #admit(key: string): Promise<void> {
    const { connection, services, settings } = this.options;
    const admitted = await admit(key, services.accounts);
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
    for (const message of early) if (!this.isOver) this.accept(message);
  }

  async #start(text: string, context: SpokenContext): Promise<ChargedLease | null> {
    if (!this.#account || !this.#speaker) return null;
    const generation = { account: this.#account, text, model: this.#speaker.model };
    const lease = await admitSpeech(generation, this.options.services.accounts);
    if ('leave' in lease) {
      if (!this.isOver) return lease;
      lease.leave();
    } else if (lease.refusal.error === 'quota_exceeded') this.unpaid(context, lease.refusal);
    else this.fail(lease.refusal, context.id);
    return null;
  }

  /** The vendor's answer to such a message is not known. */
  protected unreadable(problem: string): void {
    this.fail({ error: 'validation_error', message: `Invalid request: ${problem}` });
  }
}

/** Characters of one message, by the model of the address. The vendor has this limit for calls (elevenlabs-limit-8). */
function maxCharsOf({ model_id: id = DEFAULT_MODEL }: Settings): number {
  const model = String(id);
  return MODELS[isModelId(model) ? model : DEFAULT_MODEL].maxChars;
}

/** Without unknown settings, because a context keeps them. */
const known = (settings: Settings): Settings =>
  Object.fromEntries(
    MESSAGE_SETTINGS.flatMap(({ field }) => (field in settings ? [[field, settings[field]]] : [])),
  );

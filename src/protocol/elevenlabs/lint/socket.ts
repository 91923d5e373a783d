import { remember } from '#lib/collections/maps.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import type { Fields } from '../../core/json-frame.ts';
import type { Linter, LintMoment } from '../../core/rule.ts';
import type { CheckWorld } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { elevenLabsMulti, elevenLabsStream } from '../endpoints.ts';
import type { ClientMessage } from '../wire/client-frames.ts';
import { type ErrorName, IDLE_ERROR } from '../wire/errors.ts';
import { MAX_CONTEXTS } from '../wire/settings.ts';
import {
  type ErrorFrame,
  judgeAddress,
  readReceivedFrame,
  readSentMessage,
  type SpeechFrame,
} from './messages.ts';
import { ELEVENLABS_RULES, type ElevenLabsRuleId } from './rules.ts';
import { type SocketTraits, VoiceTurn } from './turn.ts';

const linterOf = (endpoint: Endpoint) => (): Linter =>
  new ConnectionsLinter(ELEVENLABS_RULES, (world) => new SocketCheck(world, endpoint));

/** The linter of `stream-input`. */
export const openElevenLabsStreamLinter = linterOf(elevenLabsStream);
/** The linter of `multi-stream-input`. */
export const openElevenLabsMultiLinter = linterOf(elevenLabsMulti);

/** The network adds time, and the time-out is the server's. */
const IDLE_GRACE_US = SECOND_US;
/** At the vendor, the close follows an error after 0.8 s (elevenlabs-error-1). */
const CLOSE_US = 5 * SECOND_US;
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;
/** Codes of clients, and those that stand for no code. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005, 1006]);

const NO_KEY: ErrorName = 'authentication_required';
const TOO_MANY: ErrorName = 'max_active_conversations';

class SocketCheck extends ConnectionCheck<ElevenLabsRuleId> {
  turns: number | null;
  readonly #endpoint: Endpoint;
  readonly #traits: SocketTraits;
  /** By the id of the context, null for none. A context leaves with its final, the turn of `stream-input` stays. */
  readonly #turns = new Map<string | null, VoiceTurn>();
  readonly #past = new Map<string | null, VoiceTurn>();
  readonly #idle = this.deadline(0, () => this.#missText(this.#touched));
  readonly #closeAbsent = this.deadline(CLOSE_US, (time) => {
    const message = `expected the close of the connection, got none for ${time}`;
    this.report('error-without-close', message, { at: this.#failedAt });
  });
  #first: { at: LintMoment; hasKey: boolean } | null = null;
  /** The moment that restarted the inactivity time-out. */
  #touched: LintMoment | null = null;
  #failedAt: LintMoment | null = null;
  #isClosing = false;

  constructor(world: CheckWorld<ElevenLabsRuleId>, endpoint: Endpoint) {
    super(world);
    const isMulti = endpoint.contexts !== null;
    this.#endpoint = endpoint;
    this.#traits = { address: null, isMulti };
    this.turns = isMulti ? 0 : null;
  }

  get isBusy(): boolean {
    return this.#unfinished !== null;
  }

  get #unfinished(): LintMoment | null {
    for (const { unfinished } of this.#turns.values()) if (unfinished) return unfinished;
    return null;
  }

  override opened(): void {
    const { address } = this.world;
    if (address === null) return;
    this.#traits.address = judgeAddress(this.#endpoint, address, this);
    this.#touch();
  }

  sent(fields: Fields | null): void {
    const { isMulti, address } = this.#traits;
    const message = fields && readSentMessage(fields, this, isMulti);
    if (!message) return;
    const { text, flush, closeContext, closeSocket, settings } = message;
    const isEmptyTurn = !isMulti && this.#first === null && text === undefined;
    this.#first ??= { at: this.now, hasKey: message.key !== undefined };
    if (isEmptyTurn) this.report('first-without-text', 'expected a space, got nothing', 'text');
    if (address?.isAuto && settings?.chunk_length_schedule !== undefined) {
      const field = 'generation_config.chunk_length_schedule';
      this.once('auto-mode-schedule', 'expected none with auto_mode, got one', field);
    }
    if (text !== undefined) this.#touch();
    const turn = this.#turns.get(message.context) ?? this.#begin(message);
    const ends = isMulti ? closeContext : isEmptyTurn || (text === '' && !flush);
    const isNew = turn?.hasText === false;
    turn?.sent(message, ends);
    if (isNew && turn?.hasText && this.turns !== null) this.turns += 1;
    this.#isClosing ||= closeSocket || (ends && !isMulti);
    if (this.#isClosing) this.#idle.clear();
  }

  received(fields: Fields | null): void {
    const read = fields && readReceivedFrame(fields, this);
    if (read?.kind === 'error') this.#failed(read);
    else if (read) this.#speech(read);
  }

  override closed(code: number): void {
    const related = this.#unfinished;
    // A refusal ends all turns.
    if (!related || this.#failedAt) return;
    const { isMulti } = this.#traits;
    const { endedAt, hasAudio } = this.#turns.get(null) ?? {};
    const isEarly = endedAt && !hasAudio && this.now.atUs - endedAt.atUs < SECOND_US;
    if (!isMulti && isEarly && OF_CLIENTS.has(code)) {
      this.report('close-behind-end', 'expected the final before it, got none', { related });
    } else if (!(isMulti && this.#isClosing)) {
      this.report('turn-cut-off', 'expected all speech before it, got the end', { related });
    }
  }

  /** Begins the turn of a message. @returns null for a message that needs none */
  #begin(message: ClientMessage): VoiceTurn | null {
    const { context: id, text, flush, settings } = message;
    if (this.#traits.isMulti) {
      if (message.closeContext || message.closeSocket || (text === undefined && !flush)) return null;
      const isKeepAlive = text === '' && !flush && !settings;
      // Without an id it keeps the socket alive. Its effect on an ended context is not known.
      if (isKeepAlive && (id === null || this.#past.has(id))) return null;
      const about = this.in(id);
      if (isKeepAlive) about.report('keep-alive-first', 'expected text or settings first, got none', 'text');
      else if (!text && flush)
        about.report('flush-unknown', 'expected an open context, got another', 'flush');
      if (id !== null) this.#checkRoom(id);
    }
    const turn = new VoiceTurn(this.world, id, this.#traits, message);
    this.#past.delete(id);
    const [oldest] = this.#turns.values();
    if (this.#turns.size === MAX_FOLLOWED) oldest?.rest();
    remember(this.#turns, id, turn, MAX_FOLLOWED);
    return turn;
  }

  /** A context begins. One that is closing may be gone already, so only the server knows whether it counts. */
  #checkRoom(context: string): void {
    const counted = [...this.#turns].filter(([other, turn]) => other !== null && !turn.endedAt);
    if (counted.length >= MAX_CONTEXTS) this.#reportTooMany(context);
    if (counted.length !== MAX_CONTEXTS - 1 || !counted.every(([, { hasAudio }]) => hasAudio)) return;
    const message = `expected close_context of spoken contexts, got ${counted.length} without it`;
    this.once('contexts-unclosed', message, { context });
  }

  #reportTooMany(context: string | null): void {
    const message = `expected at most ${MAX_CONTEXTS} contexts without a final, got one more`;
    this.once('too-many-contexts', message, { context, path: 'context_id' });
  }

  #speech(frame: SpeechFrame): void {
    const { context } = frame;
    const { isMulti } = this.#traits;
    const turn = this.#turns.get(context) ?? this.#past.get(context);
    if (!turn) {
      const asked = isMulti ? 'the contextId of an open context' : 'text before it';
      this.in(context).once('speech-unasked', `expected ${asked}, got none`);
      return;
    }
    turn.received(frame, (isMulti && this.#isClosing) || this.#failedAt !== null);
    if (frame.isFinal && isMulti) this.#leave(turn);
  }

  /** The context is over, and its id is free. */
  #leave(turn: VoiceTurn): void {
    turn.endedAt ??= this.now;
    turn.rest();
    this.#turns.delete(turn.context);
    remember(this.#past, turn.context, turn, MAX_FOLLOWED);
  }

  #failed({ context, event: { name } }: ErrorFrame): void {
    const turn = this.#turns.get(context);
    // The context ends alone, and the connection may stay open.
    if (name === IDLE_ERROR && turn && this.#traits.isMulti) this.#leave(turn);
    else {
      this.#failedAt ??= this.now;
      this.#closeAbsent.start();
    }
    if (name === NO_KEY && this.#first?.hasKey === false) {
      const message = 'expected one here, in a header or as a token, got none';
      this.report('key-missing', message, { at: this.#first.at, field: 'xi_api_key', related: this.now });
    }
    if (name === TOO_MANY) this.#reportTooMany(context);
    if (name === IDLE_ERROR) this.#missText(turn?.lastAt ?? this.#touched);
  }

  #touch(): void {
    this.#touched = this.now;
    const { address } = this.#traits;
    if (address && !this.#isClosing) this.#idle.start(address.idleUs + IDLE_GRACE_US);
  }

  /** Reports a silence once. */
  #missText(at: LintMoment | null): void {
    if (!this.#touched || !at) return;
    this.report('idle-too-long', 'expected text or a keep-alive within the time-out, got none', { at });
    this.#idle.clear();
    this.#touched = null;
  }
}

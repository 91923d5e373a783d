import { remember } from '#lib/collections/maps.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { elevenLabsMulti } from '../multi.ts';
import { elevenLabsStream } from '../stream.ts';
import type { ClientMessage } from '../wire/client-frames.ts';
import { type ErrorName, IDLE_ERROR } from '../wire/errors.ts';
import { MAX_CONTEXTS } from '../wire/settings.ts';
import { judgeAddress } from './address.ts';
import { readSentMessage } from './client.ts';
import { ELEVENLABS_RULES, type ElevenLabsRuleId } from './rules.ts';
import { type ErrorFrame, readReceivedFrame, type SpeechFrame } from './server.ts';
import { VoiceTurn, type VoiceWorld } from './turn.ts';

const linterOf = (endpoint: Endpoint) => (): Linter =>
  new ConnectionsLinter(ELEVENLABS_RULES, (world) => new SocketCheck(world, endpoint));

/** The linter of `stream-input`. */
export const openElevenLabsStreamLinter = linterOf(elevenLabsStream);
/** The linter of `multi-stream-input`. */
export const openElevenLabsMultiLinter = linterOf(elevenLabsMulti);

/** The network adds time, and the time-out is the server's. */
const IDLE_GRACE_US = SECOND_US;
/** The close follows an error after 0.8 s (`facts-elevenlabs 5.1`). */
const CLOSE_US = 5 * SECOND_US;
/** Limits the followed contexts, because a recording has no end. */
const MAX_FOLLOWED = 64;
/** Codes of clients, and those that stand for no code. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005, 1006]);

const NO_KEY: ErrorName = 'authentication_required';
const TOO_MANY: ErrorName = 'max_active_conversations';

class SocketCheck implements ConnectionCheck {
  turns: number | null;
  readonly #findings: Findings<ElevenLabsRuleId>;
  readonly #endpoint: Endpoint;
  readonly #world: VoiceWorld;
  /** By the id of the context, null for none. A context leaves with its final, the turn of `stream-input` stays. */
  readonly #turns = new Map<string | null, VoiceTurn>();
  readonly #past = new Map<string | null, VoiceTurn>();
  readonly #idle: Deadline;
  readonly #closeAbsent: Deadline;
  #first: { at: LintMoment; hasKey: boolean } | null = null;
  /** The moment that restarted the inactivity time-out. */
  #touched: LintMoment | null = null;
  #failedAt: LintMoment | null = null;
  #isClosing = false;

  constructor(world: CheckWorld<ElevenLabsRuleId>, endpoint: Endpoint) {
    const isMulti = endpoint.contexts !== null;
    this.#findings = world.findings;
    this.#endpoint = endpoint;
    this.#world = { ...world, traits: null, isMulti };
    this.turns = isMulti ? 0 : null;
    this.#idle = world.deadlines.create((atUs) => this.#missText(this.#touched, atUs));
    this.#closeAbsent = world.deadlines.create((atUs) => {
      const message = `expected the close of the connection, got none for ${CLOSE_US / SECOND_US} s`;
      if (this.#failedAt) this.#findings.report('error-without-close', this.#failedAt, message, { atUs });
    });
  }

  get isBusy(): boolean {
    return this.#unfinished !== null;
  }

  opened(at: LintMoment): void {
    const { address } = this.#world;
    if (address === null) return;
    this.#world.traits = judgeAddress(this.#endpoint, address, at, this.#findings);
    this.#touch(at);
  }

  sent(frame: LintFrame): void {
    const { isMulti, traits } = this.#world;
    const message = readSentMessage(frame, this.#findings, isMulti);
    if (!message) return;
    const at = momentOf(frame);
    const { text, flush, closeContext, closeSocket, settings } = message;
    const isEmptyTurn = !isMulti && this.#first === null && text === undefined;
    this.#first ??= { at, hasKey: message.key !== undefined };
    if (isEmptyTurn) this.#findings.report('first-without-text', at, 'expected a space, got nothing', 'text');
    if (traits?.isAuto && settings?.chunk_length_schedule !== undefined) {
      const field = 'generation_config.chunk_length_schedule';
      this.#findings.once('auto-mode-schedule', at, 'expected none with auto_mode, got one', field);
    }
    if (text !== undefined) this.#touch(at);
    const turn = this.#turns.get(message.context) ?? this.#begin(message, at);
    const ends = isMulti ? closeContext : isEmptyTurn || (text === '' && !flush);
    const isNew = turn?.hasText === false;
    turn?.sent(message, ends, at);
    if (isNew && turn?.hasText && this.turns !== null) this.turns += 1;
    this.#isClosing ||= closeSocket || (ends && !isMulti);
    if (this.#isClosing) this.#idle.clear();
  }

  received(frame: LintFrame): void {
    const read = readReceivedFrame(frame, this.#findings);
    if (!read) return;
    const at = momentOf(frame);
    if (read.kind === 'error') this.#failed(read, at);
    else this.#speech(read, at);
  }

  closed({ code, ...at }: LintClose): void {
    const related = this.#unfinished;
    const { isMulti } = this.#world;
    const { endedAt, hasAudio } = this.#turns.get(null) ?? {};
    const hasNotWaited = endedAt && !hasAudio && at.atUs - endedAt.atUs < SECOND_US && OF_CLIENTS.has(code);
    // A refusal ends all turns.
    const isCut = related && !this.#failedAt;
    if (isCut && !isMulti && hasNotWaited) {
      this.#findings.report('close-behind-end', at, 'expected the final before it, got none', { related });
    } else if (isCut && !(isMulti && this.#isClosing)) {
      this.#findings.report('turn-cut-off', at, 'expected all speech before it, got the end', { related });
    }
    for (const deadline of [this.#idle, this.#closeAbsent]) deadline.clear();
    for (const turn of this.#turns.values()) turn.over();
  }

  get #unfinished(): LintMoment | null {
    for (const { unfinished } of this.#turns.values()) if (unfinished) return unfinished;
    return null;
  }

  /** Begins the turn of a message. @returns null for a message that needs none */
  #begin(message: ClientMessage, at: LintMoment): VoiceTurn | null {
    const { context: id, text, flush, settings } = message;
    if (this.#world.isMulti) {
      if (message.closeContext || message.closeSocket || (text === undefined && !flush)) return null;
      const isKeepAlive = text === '' && !flush && !settings;
      // Without an id it keeps the socket alive. Its effect on an ended context is not known.
      if (isKeepAlive && (id === null || this.#past.has(id))) return null;
      const report = this.#findings.in(id);
      if (isKeepAlive) report('keep-alive-first', at, 'expected text or settings first, got none', 'text');
      else if (!text && flush) report('flush-unknown', at, 'expected an open context, got another', 'flush');
      if (id !== null) this.#checkRoom(id, at);
    }
    const turn = new VoiceTurn(this.#world, id, message, at);
    this.#past.delete(id);
    const [oldest] = this.#turns.values();
    if (this.#turns.size === MAX_FOLLOWED) oldest?.over();
    remember(this.#turns, id, turn, MAX_FOLLOWED);
    return turn;
  }

  /** A context begins. One that is closing may be gone already, so only the server knows whether it counts. */
  #checkRoom(id: string, at: LintMoment): void {
    const counted = [...this.#turns].filter(([other, turn]) => other !== null && !turn.endedAt);
    if (counted.length >= MAX_CONTEXTS) this.#reportTooMany(at, id);
    if (counted.length !== MAX_CONTEXTS - 1 || !counted.every(([, { hasAudio }]) => hasAudio)) return;
    const text = `expected close_context of spoken contexts, got ${counted.length} without it`;
    this.#findings.once('contexts-unclosed', at, text, { context: id });
  }

  #reportTooMany(at: LintMoment, context: string | null): void {
    const text = `expected at most ${MAX_CONTEXTS} contexts without a final, got one more`;
    this.#findings.once('too-many-contexts', at, text, { context, path: 'context_id' });
  }

  #speech(frame: SpeechFrame, at: LintMoment): void {
    const { context } = frame;
    const turn = this.#turns.get(context) ?? this.#past.get(context);
    if (!turn) {
      const message = `expected ${this.#world.isMulti ? 'the contextId of an open context' : 'text before it'}, got none`;
      this.#findings.once('speech-unasked', at, message, { context }, `speech-unasked ${context}`);
      return;
    }
    const mayEnd = (this.#world.isMulti && this.#isClosing) || this.#failedAt !== null;
    turn.received(frame, mayEnd, at);
    if (frame.isFinal && this.#world.isMulti) this.#leave(context, turn, at);
  }

  /** The context is over, and its id is free. */
  #leave(context: string | null, turn: VoiceTurn, at: LintMoment): void {
    turn.endedAt ??= at;
    turn.over();
    this.#turns.delete(context);
    remember(this.#past, context, turn, MAX_FOLLOWED);
  }

  #failed({ context, event: { name } }: ErrorFrame, at: LintMoment): void {
    const turn = this.#turns.get(context);
    if (name === IDLE_ERROR && turn && this.#world.isMulti) {
      // The context ends alone, and the connection may stay open.
      this.#leave(context, turn, at);
    } else {
      this.#failedAt ??= at;
      this.#closeAbsent.set(at.atUs + CLOSE_US);
    }
    if (name === NO_KEY && this.#first?.hasKey === false) {
      const message = 'expected one here, in a header or as a token, got none';
      const details = { field: 'xi_api_key', related: at, atUs: at.atUs };
      this.#findings.report('key-missing', this.#first.at, message, details);
    }
    if (name === TOO_MANY) this.#reportTooMany(at, context);
    if (name === IDLE_ERROR) this.#missText(turn?.lastAt ?? this.#touched, at.atUs);
  }

  #touch(at: LintMoment): void {
    this.#touched = at;
    const { traits } = this.#world;
    if (traits && !this.#isClosing) this.#idle.set(at.atUs + traits.idleUs + IDLE_GRACE_US);
  }

  /** Reports a silence once. */
  #missText(at: LintMoment | null, atUs: number): void {
    if (!this.#touched || !at) return;
    const message = 'expected text or a keep-alive within the time-out, got none';
    this.#findings.report('idle-too-long', at, message, { atUs });
    this.#idle.clear();
    this.#touched = null;
  }
}

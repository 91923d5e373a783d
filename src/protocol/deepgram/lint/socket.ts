import { hasHalf } from '#lib/text/halves.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { describeIssue } from '../../core/issue.ts';
import { type Frames, parserOf, schemaOf } from '../../core/json-frame.ts';
import { type LintClose, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import { FlushAdvice } from '../../lint/flush-advice.ts';
import type { CheckWorld, ConnectionCheck } from '../../lint/linter.ts';
import { type KnownFrame, readClientText, readTypedFrame, reportIssues } from '../../lint/message.ts';
import { TextJoints } from '../../lint/text-joints.ts';
import type { FluxMessage, SpeakMessage } from '../wire/client-frames.ts';
import type { Family } from '../wire/models.ts';
import { readWarning, type WarningFrame } from '../wire/server-frames.ts';
import { type FlushedTurn, FlushedTurns, NEW_TURN } from '../wire/turns.ts';
import { judgeAddress, reportUnknown, sampleSizes } from './address.ts';
import type { CommonRuleId } from './rules.ts';

/** LiveKit gives up after as long without a frame (`facts-deepgram 9.1.3`, 9.3.3). A model pauses for less. */
const SILENCE_US = 10 * SECOND_US;
/** The server ends a connection five minutes later (`facts-deepgram 11.21`). */
const OLD_MINUTES = 55;
const AGAIN_US = 60 * SECOND_US;
/** Of a message that is remembered. */
const MAX_KEPT_CHARS = 4096;
/** Limits the followed turns, because a recording has no end. */
export const MAX_FOLLOWED = 256;

/** A server closes with them only after a Close. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005]);
/** A message is at fault (`facts-deepgram 3.7`). */
const REFUSALS: ReadonlySet<number> = new Set([1003, 1008, 1009]);

/** The part of one of the sockets that the other does not share. */
export interface SocketKind<F extends Frames> {
  endpoint: Endpoint;
  family: Family;
  messages: Frames;
  frames: F;
  /** The first frame of the server. */
  greeting: string;
  /** The meaning that clients have for a type that the server refuses. */
  hints: Readonly<Record<string, string>>;
}

/** The message that a connection ended at. */
interface RefusedMessage {
  last: { payload: string; at: LintMoment } | null;
}

/** A turn without an end. */
export interface AskedTurn extends FlushedTurn {
  /** Its last message. */
  at: LintMoment;
  /** False for a Flush alone. */
  hasText: boolean;
  isBlank: boolean;
  /** Of letters or digits, so that audio follows. */
  isSpeakable: boolean;
  bytes: number;
}

class AskedTurns extends FlushedTurns<AskedTurn> {
  protected create(): AskedTurn {
    const at = { index: 0, atUs: 0, connection: 0 };
    return { ...NEW_TURN, at, hasText: false, isBlank: true, isSpeakable: false, bytes: 0 };
  }

  protected join(turn: AskedTurn, later: AskedTurn): void {
    turn.hasText ||= later.hasText;
    turn.isBlank &&= later.isBlank;
    turn.isSpeakable ||= later.isSpeakable;
  }

  /** The turn that takes text. Its last message is this one. */
  at(at: LintMoment): AskedTurn {
    const turn = Object.assign(this.take(), { at });
    if (this.all.length > MAX_FOLLOWED) this.all.shift();
    return turn;
  }
}

/** Rules of one connection to either socket. */
export abstract class SocketCheck<
  F extends Frames,
  M extends SpeakMessage | FluxMessage,
  Id extends string = CommonRuleId,
> implements ConnectionCheck
{
  turns = 0;
  protected readonly sizes: ReturnType<typeof sampleSizes>;
  /** Oldest first. Only the order says which one an answer belongs to. */
  protected readonly asked = new AskedTurns();
  /** The server reads nothing behind a Close. */
  protected hasClosed = false;
  protected readonly findings: Findings<Id | CommonRuleId>;
  readonly #address: string | null;
  readonly #socket: SocketKind<F>;
  readonly #refused: RefusedMessage;
  readonly #joints = new TextJoints();
  readonly #flushes: FlushAdvice;
  readonly #answer: Deadline;
  readonly #flush: Deadline;
  #openedAt: LintMoment | null = null;
  #hasGreeted = false;
  /** The server was silent since it owes an answer. */
  #isWaiting = false;
  /** The last text, or what is no message. */
  #last = '';

  /** @param refused of all connections of a linter */
  constructor(
    { findings, deadlines, address }: CheckWorld<Id | CommonRuleId>,
    socket: SocketKind<F>,
    refused: RefusedMessage,
  ) {
    this.findings = findings;
    this.#address = address;
    this.#socket = socket;
    this.#refused = refused;
    this.sizes = sampleSizes(socket.endpoint, address);
    this.#flushes = new FlushAdvice(findings.report);
    const miss = (id: CommonRuleId, what: string, waiting: () => LintMoment | null | undefined) =>
      deadlines.create((atUs) => {
        const at = waiting();
        if (at) findings.once(id, at, `expected ${what}, got none for ${SILENCE_US / SECOND_US} s`, { atUs });
      });
    this.#answer = miss('answer-absent', 'an answer', () => this.#owed);
    this.#flush = miss('flush-missing', 'a Flush', () => this.asked.open?.at);
  }

  /** The oldest Clear or Interrupt without an answer. */
  protected abstract readonly cancel: LintMoment | undefined;
  protected abstract message(message: M, at: LintMoment): void;
  protected abstract audio(bytes: number, at: LintMoment): void;
  protected abstract frame(read: KnownFrame<F>, at: LintMoment): void;

  /** The client left without Close. */
  protected left(at: LintMoment): void {
    const details = { related: this.unfinished };
    this.findings.report('close-missing', at, 'expected a Close before it, got none', details);
  }

  /** The moment whose speech is not complete; undefined where nothing is missing. */
  protected get unfinished(): LintMoment | undefined {
    return this.asked.all.find(({ hasText, isCancelled }) => hasText && !isCancelled)?.at;
  }

  get isBusy(): boolean {
    return this.unfinished !== undefined;
  }

  /** The oldest message that the server has to answer. */
  get #owed(): LintMoment | undefined {
    const { all } = this.asked;
    const isOwed = (turn: AskedTurn) => turn.isFlushed && turn.isSpeakable && !turn.isCancelled;
    return this.cancel ?? all.find(isOwed)?.at;
  }

  opened(at: LintMoment): void {
    const { endpoint, family } = this.#socket;
    this.#openedAt = at;
    if (this.#address !== null) judgeAddress(endpoint, family, this.#address, at, this.findings);
  }

  sent(frame: LintFrame): void {
    if (this.hasClosed) return;
    const at = momentOf(frame);
    const message = this.#read(frame);
    if (!message || message.type === 'Speak') this.#compare(frame);
    if (!message) return;
    if (message.type === 'Speak') this.#say(message.text, at);
    else if (message.type === 'Flush') this.#endText(at);
    else if (message.type !== 'Configure') {
      this.hasClosed = message.type === 'Close';
      this.#flushes.forget();
      this.#cut();
    }
    this.message(message, at);
    if (!this.#isWaiting) this.#await(at);
  }

  received(frame: LintFrame): void {
    const { findings } = this;
    const { greeting, frames } = this.#socket;
    const at = momentOf(frame);
    const isAudio = typeof frame.payload !== 'string';
    const read = isAudio ? null : readTypedFrame(frame, frames, findings);
    const known = read && read.type !== null ? (read as KnownFrame<F>) : null;
    const type = isAudio ? 'audio' : known && String(known.type);
    // An error may come in its place, and an unreadable frame may be it.
    if (type && type.toLowerCase() !== 'error' && (type === greeting) === this.#hasGreeted) {
      const expected = this.#hasGreeted ? `no other ${greeting}` : `${greeting} first`;
      findings.once('greeting', at, `expected ${expected}, got ${type}`, { path: isAudio ? '' : 'type' });
    }
    this.#hasGreeted = true;
    if (known?.type === 'Warning' && readWarning(known.frame as WarningFrame).code === null)
      findings.report('warning-without-code', at, 'expected warn_code or code, got neither');
    if (isAudio) this.audio(frame.payload.length, at);
    else if (known) this.frame(known, at);
    this.#await(at);
  }

  closed({ code, ...at }: LintClose): void {
    const related = this.unfinished;
    if (REFUSALS.has(code)) this.#refused.last = { payload: this.#last, at };
    else if (OF_CLIENTS.has(code)) {
      // Behind a Close, the rest is spoken, or nobody listens any more.
      if (!this.hasClosed) this.left(at);
    } else if (related) {
      const message = 'expected all speech before it, got the end';
      this.findings.report('turn-cut-off', at, message, { related });
    }
    for (const deadline of [this.#answer, this.#flush]) deadline.clear();
  }

  protected checkSamples(bytes: number, at: LintMoment): void {
    if (!this.sizes || bytes % this.sizes.perSample === 0) return;
    this.findings.report('odd-bytes', at, `expected whole samples before it, got ${bytes} bytes`);
  }

  #await(at: LintMoment): void {
    this.#isWaiting = this.#owed !== undefined;
    if (this.#isWaiting) this.#answer.set(at.atUs + SILENCE_US);
    else this.#answer.clear();
  }

  /** Reads a message and reports its faults. @returns null for one that the server refuses */
  #read(frame: LintFrame): M | null {
    const { findings } = this;
    const { messages, hints } = this.#socket;
    const fields = readClientText(frame, findings);
    const parsed = fields && parserOf(messages)(fields);
    if (!parsed) return null;
    const schema = schemaOf(messages, fields.type);
    if (!schema || !parsed.ok) {
      const issues = parsed.ok ? [] : parsed.issues;
      const hint = Object.hasOwn(hints, String(fields.type)) ? `; ${hints[String(fields.type)]}` : '';
      if (schema) reportIssues('client-shape', issues, frame, findings);
      for (const issue of schema ? [] : issues)
        findings.report('unknown-type', frame, `${describeIssue(issue)}${hint}`, { path: 'type' });
      return null;
    }
    const message = parsed.value as M;
    reportUnknown('unknown-field', fields, Object.keys(schema.shape), frame, findings);
    if (message.type === 'Speak' && hasHalf(message.text))
      findings.report('lone-surrogate', frame, 'expected whole characters, got half of one', 'text');
    return message;
  }

  /** Compares a message with the one that another connection ended at. */
  #compare(frame: LintFrame): void {
    this.#last = typeof frame.payload === 'string' ? frame.payload.slice(0, MAX_KEPT_CHARS) : '';
    const { last } = this.#refused;
    if (!last || last.payload !== this.#last || last.at.connection === frame.connection) return;
    this.#refused.last = null;
    if (frame.atUs - last.at.atUs > AGAIN_US) return;
    const message = 'expected another message, got the one that the server refused';
    this.findings.report('refused-again', frame, message, { related: last.at });
  }

  #say(text: string, at: LintMoment): void {
    const { findings } = this;
    const isBlank = text.trim() === '';
    if (text === '') findings.report('text-empty', at, 'expected a text, got an empty one', 'text');
    // Ours (`facts-deepgram 14` D7): a turn on `/v2/speak` alone.
    if (text === '' && this.#socket.family === 'aura') return;
    const turn = this.asked.at(at);
    if (turn.isBlank && !isBlank) this.#begin(text, at);
    turn.hasText = true;
    turn.isBlank &&= isBlank;
    turn.isSpeakable ||= /[\p{L}\p{N}]/u.test(text);
    if (!isBlank) this.#flush.set(at.atUs + SILENCE_US);
    this.#flushes.text(text);
    const fault = this.#joints.text(text);
    if (fault) findings.once('words-glued', at, fault, 'text');
  }

  /** A turn begins with this text. */
  #begin(text: string, at: LintMoment): void {
    this.turns += 1;
    this.#flushes.began(text, at);
    const minutes = Math.floor((at.atUs - (this.#openedAt ?? at).atUs) / SECOND_US / 60);
    if (minutes < OLD_MINUTES) return;
    const message = `expected a connection younger than ${OLD_MINUTES} min, got one of ${minutes} min`;
    this.findings.once('socket-old', at, message);
  }

  #endText(at: LintMoment): void {
    const { open } = this.asked;
    const message = 'expected text before it, got white space';
    if (open?.isBlank) this.findings.report('text-empty', at, message, { related: open.at });
    else if (open) this.#flushes.flushed(at);
    this.#cut();
  }

  #cut(): void {
    this.#joints.cut();
    this.#flush.clear();
  }
}

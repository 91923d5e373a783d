import type { Endpoint } from '../../core/endpoint.ts';
import type { Parsed } from '../../core/issue.ts';
import type { Fields, Frames, TypedFrame } from '../../core/json-frame.ts';
import { type LintClose, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import { FlushAdvice } from '../../lint/flush-advice.ts';
import type { CheckWorld, ConnectionCheck } from '../../lint/linter.ts';
import { TextJoints } from '../../lint/text-joints.ts';
import type { FluxMessage, SpeakMessage } from '../wire/client-frames.ts';
import type { Family } from '../wire/models.ts';
import { judgeAddress, sampleSizes } from './address.ts';
import { readSentMessage, type TypeHints } from './client.ts';
import type { CommonRuleId } from './rules.ts';
import { readReceivedFrame } from './server.ts';

/** LiveKit gives up after as long without a frame (`facts-deepgram 9.1.3`, 9.3.3). A model pauses for less. */
const SILENCE_US = 10 * SECOND_US;
/** The server ends a connection five minutes later (`facts-deepgram 11.21`). */
const OLD_MINUTES = 55;
const AGAIN_US = 60 * SECOND_US;
/** Of a message that is remembered. */
const MAX_KEPT_CHARS = 4096;

/** A server closes with them only after a Close. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005]);
/** A message is at fault (`facts-deepgram 3.7`). */
const REFUSALS: ReadonlySet<number> = new Set([1003, 1008, 1009]);

/** What one of the sockets does not share with the other. */
export interface SocketKind<M, F extends Frames> {
  endpoint: Endpoint;
  family: Family;
  parse: (fields: Fields) => Parsed<M>;
  frames: F;
  /** The first frame of the server. */
  greeting: string;
  hints: TypeHints;
}

/** The message that a connection ended at, over all connections of a linter. */
export interface RefusedMessage {
  last: { payload: string; at: LintMoment } | null;
}

/** Rules of one connection to either socket. */
export abstract class SocketCheck<M extends SpeakMessage | FluxMessage, F extends Frames>
  implements ConnectionCheck
{
  turns = 0;
  protected readonly sizes: ReturnType<typeof sampleSizes>;
  protected hasClosed = false;
  readonly #world: CheckWorld<CommonRuleId>;
  readonly #socket: SocketKind<M, F>;
  readonly #refused: RefusedMessage;
  readonly #joints = new TextJoints();
  readonly #flushes: FlushAdvice;
  readonly #answer: Deadline;
  readonly #flush: Deadline;
  #openedAt: LintMoment | null = null;
  #hasGreeted = false;
  /** The server was silent since it owes an answer. */
  #isWaiting = false;
  /** Of the text without a flush. */
  #writing: { at: LintMoment; isBlank: boolean } | null = null;
  /** The last text, or what is no message. */
  #last = '';

  constructor(world: CheckWorld<CommonRuleId>, socket: SocketKind<M, F>, refused: RefusedMessage) {
    const { findings, deadlines, address } = world;
    this.#world = world;
    this.#socket = socket;
    this.#refused = refused;
    this.sizes = sampleSizes(socket.endpoint, address);
    this.#flushes = new FlushAdvice(findings.report);
    const miss = (id: CommonRuleId, what: string, waiting: () => LintMoment | null | undefined) =>
      deadlines.create((atUs) => {
        const at = waiting();
        if (at) findings.once(id, at, `expected ${what}, got none for ${SILENCE_US / SECOND_US} s`, { atUs });
      });
    this.#answer = miss('answer-absent', 'an answer', () => this.owed);
    this.#flush = miss('flush-missing', 'a Flush', () => this.#writing?.at);
  }

  /** The moment whose speech is not complete; null where nothing is missing. */
  protected abstract readonly unfinished: LintMoment | null;
  /** The oldest message that the server has to answer. */
  protected abstract readonly owed: LintMoment | null;
  protected abstract message(message: M, at: LintMoment): void;
  protected abstract audio(bytes: number, at: LintMoment): void;
  protected abstract frame(read: TypedFrame<F>, at: LintMoment): void;
  /** The client left without Close. */
  protected left(at: LintMoment): void {
    const details = { related: this.unfinished };
    this.#world.findings.report('close-missing', at, 'expected a Close before it, got none', details);
  }

  get isBusy(): boolean {
    return this.unfinished !== null;
  }

  opened(at: LintMoment): void {
    const { address, findings } = this.#world;
    const { endpoint, family } = this.#socket;
    this.#openedAt = at;
    if (address !== null) judgeAddress(endpoint, family, address, at, findings);
  }

  sent(frame: LintFrame): void {
    const { parse, hints } = this.#socket;
    const at = momentOf(frame);
    const message = readSentMessage(frame, parse, hints, this.#world.findings);
    if (!message || message.type === 'Speak') this.#compare(frame);
    if (!message) return;
    if (message.type === 'Speak') this.#say(message.text, at);
    else if (message.type === 'Flush') this.#endText(at);
    else if (message.type !== 'Configure') {
      this.hasClosed ||= message.type === 'Close';
      this.#flushes.forget();
      this.#cut();
    }
    this.message(message, at);
    if (!this.#isWaiting) this.#await(at);
  }

  received(frame: LintFrame): void {
    const { findings } = this.#world;
    const { greeting, frames } = this.#socket;
    const at = momentOf(frame);
    const isAudio = typeof frame.payload !== 'string';
    const read = isAudio ? null : readReceivedFrame(frame, frames, findings);
    const type = isAudio ? 'audio' : read && String(read.type);
    // An error may come in its place, and an unreadable frame may be it.
    if (type && type.toLowerCase() !== 'error' && (type === greeting) === this.#hasGreeted) {
      const expected = this.#hasGreeted ? `no other ${greeting}` : `${greeting} first`;
      findings.once('greeting', at, `expected ${expected}, got ${type}`, { path: isAudio ? '' : 'type' });
    }
    this.#hasGreeted = true;
    if (read) this.frame(read, at);
    else if (isAudio) this.audio(frame.payload.length, at);
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
      this.#world.findings.report('turn-cut-off', at, message, { related });
    }
    for (const deadline of [this.#answer, this.#flush]) deadline.clear();
  }

  protected checkSamples(bytes: number, at: LintMoment): void {
    if (!this.sizes || bytes % this.sizes.perSample === 0) return;
    this.#world.findings.report('odd-bytes', at, `expected whole samples before it, got ${bytes} bytes`);
  }

  #await(at: LintMoment): void {
    this.#isWaiting = this.owed !== null;
    if (this.#isWaiting) this.#answer.set(at.atUs + SILENCE_US);
    else this.#answer.clear();
  }

  /** Compares a message with the one that another connection ended at. */
  #compare(frame: LintFrame): void {
    this.#last = typeof frame.payload === 'string' ? frame.payload.slice(0, MAX_KEPT_CHARS) : '';
    const { last } = this.#refused;
    if (!last || last.payload !== this.#last || last.at.connection === frame.connection) return;
    this.#refused.last = null;
    if (frame.atUs - last.at.atUs > AGAIN_US) return;
    const message = 'expected another message, got the one that the server refused';
    this.#world.findings.report('refused-again', frame, message, { related: last.at });
  }

  #say(text: string, at: LintMoment): void {
    const { findings } = this.#world;
    const isBlank = text.trim() === '';
    if (text === '') findings.report('text-empty', at, 'expected a text, got an empty one', 'text');
    const isFirst = this.#writing?.isBlank !== false;
    if (isFirst && !isBlank) this.#begin(text, at);
    if (text !== '') this.#writing = { at, isBlank: isBlank && isFirst };
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
    this.#world.findings.once('socket-old', at, message);
  }

  #endText(at: LintMoment): void {
    const { at: related, isBlank } = this.#writing ?? {};
    const message = 'expected text before it, got white space';
    if (isBlank) this.#world.findings.report('text-empty', at, message, { related });
    else if (related) this.#flushes.flushed(at);
    this.#cut();
  }

  #cut(): void {
    this.#joints.cut();
    this.#flush.clear();
    this.#writing = null;
  }
}

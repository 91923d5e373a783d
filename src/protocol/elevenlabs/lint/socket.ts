import { remember } from '#lib/remember.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { type LintClose, type Linter, type LintFrame, type LintMoment, momentOf } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Findings } from '../../lint/findings.ts';
import { type CheckWorld, type ConnectionCheck, ConnectionsLinter } from '../../lint/linter.ts';
import { elevenLabsMulti } from '../multi.ts';
import { elevenLabsStream } from '../stream.ts';
import type { ClientMessage } from '../wire/client-frames.ts';
import type { ErrorName } from '../wire/errors.ts';
import { MAX_CONTEXTS } from '../wire/settings.ts';
import { judgeAddress } from './address.ts';
import { readSentMessage } from './client.ts';
import { ELEVENLABS_RULES, type ElevenLabsRuleId } from './rules.ts';
import { readReceivedFrame, type SpeechFrame } from './server.ts';
import { type TurnWorld, VoiceTurn } from './turn.ts';

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
/** Flushed contexts without a message for this long are probably done with. */
const LEFT_US = 5 * SECOND_US;
const MAX_LEFT = 3;

const POLICY = 1008;
/** Codes with which a client closes, or which stand for no code. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005, 1006]);

const NO_KEY: ErrorName = 'authentication_required';
const IDLE: ErrorName = 'input_timeout_exceeded';
const TOO_MANY: ErrorName = 'max_active_conversations';

class SocketCheck implements ConnectionCheck {
  turns: number | null;
  readonly #findings: Findings<ElevenLabsRuleId>;
  readonly #endpoint: Endpoint;
  readonly #world: TurnWorld;
  /** Without a final; that of `stream-input` stays. By the id of the context, null for none. */
  readonly #open = new Map<string | null, VoiceTurn>();
  readonly #past = new Map<string | null, VoiceTurn>();
  readonly #idle: Deadline;
  readonly #closeAbsent: Deadline;
  #first: { at: LintMoment; hasKey: boolean } | null = null;
  /** The last moment that restarted the inactivity time-out. */
  #touched: LintMoment | null = null;
  #opened: LintMoment | null = null;
  #hasTooMany = false;
  #error: { at: LintMoment; code: number | null } | null = null;
  #isClosing = false;

  constructor(world: CheckWorld<ElevenLabsRuleId>, endpoint: Endpoint) {
    const isMulti = endpoint.contexts !== null;
    this.#findings = world.findings;
    this.#endpoint = endpoint;
    this.#world = { ...world, traits: null, isMulti };
    // A turn of stream-input has a connection of its own.
    this.turns = isMulti ? 0 : null;
    this.#idle = world.deadlines.create((atUs) => this.#missText(atUs));
    this.#closeAbsent = world.deadlines.create((atUs) => {
      if (!this.#error) return;
      const message = `expected the close of the connection, got none for ${CLOSE_US / SECOND_US} s`;
      this.#findings.report('error-without-close', this.#error.at, message, { atUs });
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
    const { isMulti } = this.#world;
    const message = readSentMessage(frame, this.#findings, isMulti);
    if (!message) return;
    const at = momentOf(frame);
    const isFirst = this.#first === null;
    this.#first ??= { at, hasKey: message.key !== undefined };
    if (message.text !== undefined) this.#touch(at);
    const isEmpty = isFirst && message.text === undefined;
    if (isEmpty && !isMulti) {
      this.#findings.report(
        'first-without-text',
        at,
        'expected a space in the first message, got nothing',
        'text',
      );
    }
    const ends = isMulti ? message.closeContext : isEmpty || (message.text === '' && !message.flush);
    const turn = this.#turnOf(message, at);
    if (turn) {
      const isNew = !turn.hasText;
      turn.sent(message, ends, at);
      if (isNew && turn.hasText && this.turns !== null) this.turns += 1;
    }
    if (message.closeSocket) this.#isClosing = true;
    if (message.closeSocket || (ends && !isMulti)) this.#idle.clear();
    if (!this.#world.traits?.isAuto || message.settings?.chunk_length_schedule === undefined) return;
    const text = 'expected none with auto_mode, got one';
    this.#findings.once('auto-mode-schedule', at, text, 'generation_config.chunk_length_schedule');
  }

  received(frame: LintFrame): void {
    const read = readReceivedFrame(frame, this.#findings);
    if (!read) return;
    const at = momentOf(frame);
    if (read.kind === 'speech') this.#speech(read, at);
    else this.#failed(read, at);
  }

  closed({ code, ...at }: LintClose): void {
    const hasError = this.#error !== null;
    const expected = this.#error?.code ?? null;
    if (expected !== null && code !== expected && !OF_CLIENTS.has(code)) {
      const message = `expected close code ${expected}, which the error names, got ${code}`;
      this.#findings.report('close-code', at, message, { related: this.#error?.at });
    } else if (!hasError && code === POLICY) {
      this.#findings.report('close-unexplained', at, `expected an error before close code ${code}, got none`);
    }
    const unfinished = this.#unfinished;
    const only = this.#world.isMulti ? null : this.#open.get(null);
    if (only?.hasNotWaited(at.atUs) && OF_CLIENTS.has(code) && !hasError) {
      this.#findings.report('close-behind-end', at, 'expected the final before it, got the end', {
        related: unfinished,
      });
    } else if (unfinished && !this.#isClosing) {
      this.#findings.report('turn-cut-off', at, 'expected all speech before it, got the end', {
        related: unfinished,
      });
    }
    this.#idle.clear();
    this.#closeAbsent.clear();
    for (const turn of this.#open.values()) turn.over();
  }

  get #unfinished(): LintMoment | null {
    for (const { unfinished } of this.#open.values()) if (unfinished) return unfinished;
    return null;
  }

  /** The turn that a message belongs to; a message that needs none opens none. */
  #turnOf(message: ClientMessage, at: LintMoment): VoiceTurn | null {
    const { context: id, text, flush, closeContext, closeSocket, settings } = message;
    const open = this.#open.get(id);
    if (open) return open;
    if (this.#world.isMulti) {
      const isKeepAlive = text === '' && !flush && !settings;
      if (closeContext || closeSocket || (text === undefined && !flush)) return null;
      // Without an id it keeps the socket alive, and for an ended context its effect is not known.
      if (isKeepAlive && (id === null || this.#past.has(id))) return null;
      const report = this.#findings.in(id);
      if (isKeepAlive) {
        report('keep-alive-first', at, 'expected text or settings first, got empty text', 'text');
      } else if (!text && flush) {
        const related = this.#past.get(id)?.overAt;
        report('flush-unknown', at, 'expected the id of an open context, got another', {
          field: 'flush',
          related,
        });
      }
      if (id !== null) this.#checkRoom(id, at);
    }
    const turn = new VoiceTurn(this.#world, id, message, at);
    this.#past.delete(id);
    this.#open.set(id, turn);
    const [oldest] = this.#open;
    if (this.#open.size > MAX_FOLLOWED && oldest) {
      oldest[1].over();
      this.#open.delete(oldest[0]);
    }
    return turn;
  }

  /** A context begins. One that is closing may be gone already, so only the server knows whether it counts. */
  #checkRoom(id: string, at: LintMoment): void {
    this.#opened = at;
    const counted = [...this.#open].flatMap(([other, turn]) =>
      other === null || turn.endedAt ? [] : [turn],
    );
    const left = counted.filter(({ unflushed, hasText, lastAt }) => {
      return hasText && !unflushed && at.atUs - lastAt.atUs > LEFT_US;
    });
    if (counted.length >= MAX_CONTEXTS) this.#reportTooMany(at, id);
    else if (counted.length === MAX_CONTEXTS - 1 && left.length >= MAX_LEFT) {
      const text = `expected close_context of contexts that are spoken, got ${left.length} without it`;
      this.#findings.once('contexts-unclosed', at, text, { context: id, related: left[0]?.openedAt });
    }
  }

  #reportTooMany(at: LintMoment, id: string | null): void {
    if (this.#hasTooMany) return;
    this.#hasTooMany = true;
    const text = `expected at most ${MAX_CONTEXTS} contexts without a final, got one more`;
    this.#findings.report('too-many-contexts', at, text, { context: id, path: 'context_id' });
  }

  #speech(frame: SpeechFrame, at: LintMoment): void {
    const { context: id, isFinal } = frame;
    const turn = this.#open.get(id) ?? this.#past.get(id);
    if (!turn) {
      const expected = id === null ? 'text before it' : 'the contextId of an open context';
      const text = `expected ${expected}, got ${id === null ? 'none' : 'another'}`;
      this.#findings.once('speech-unasked', at, text, { context: id }, `speech-unasked ${id}`);
      return;
    }
    turn.received(frame, at, this.#isClosing || this.#error !== null);
    if (!isFinal || !this.#world.isMulti || !this.#open.delete(id)) return;
    remember(this.#past, id, turn, MAX_FOLLOWED);
  }

  #failed(
    { context, name, code }: { context: string | null; name: string | null; code: number | null },
    at: LintMoment,
  ): void {
    // A context may end alone, and the connection stays open.
    const isOfContext = context !== null && name === IDLE;
    if (!isOfContext) {
      this.#error ??= { at, code };
      this.#closeAbsent.set(at.atUs + CLOSE_US);
    }
    if (name === NO_KEY && this.#first && !this.#first.hasKey) {
      const message = 'expected xi_api_key here, a header or a token, got none of them';
      this.#findings.report('key-missing', this.#first.at, message, {
        path: 'xi_api_key',
        related: at,
        atUs: at.atUs,
      });
    }
    if (name === TOO_MANY && this.#opened) this.#reportTooMany(this.#opened, context);
    if (name === IDLE) {
      const turn = this.#open.get(context);
      this.#missText(at.atUs, isOfContext ? (turn?.lastAt ?? null) : this.#touched);
      if (isOfContext) turn?.over();
      if (isOfContext) this.#open.delete(context);
    }
  }

  #touch(at: LintMoment): void {
    this.#touched = at;
    const { traits } = this.#world;
    if (traits && !this.#isClosing) this.#idle.set(at.atUs + traits.idleUs + IDLE_GRACE_US);
  }

  #missText(atUs: number, at = this.#touched): void {
    if (!at) return;
    this.#idle.clear();
    if (at === this.#touched) this.#touched = null;
    const { traits } = this.#world;
    const time = traits ? `within ${traits.idleUs / SECOND_US} s` : 'within the time-out';
    this.#findings.report('idle-too-long', at, `expected text or a keep-alive ${time}, got none`, { atUs });
  }
}

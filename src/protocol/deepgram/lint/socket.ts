import { wordList } from '#lib/word-list.ts';
import { readAddress } from '../../core/address.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import type { Endpoint } from '../../core/endpoint.ts';
import { type FlushedTurn, FlushedTurns, NEW_TURN } from '../../core/flushed-turns.ts';
import { describeIssue, shown } from '../../core/issue.ts';
import { type Fields, type Frames, parserOf, schemaOf } from '../../core/json-frame.ts';
import type { LintMoment } from '../../core/rule.ts';
import type { Check, CheckWorld, LintPayload } from '../../lint/check.ts';
import { type Deadline, SECOND_US } from '../../lint/clock.ts';
import { ConnectionCheck } from '../../lint/linter.ts';
import {
  applyRules,
  type FrameRules,
  type KnownFrame,
  readTypedFrame,
  reportHalf,
  reportIssues,
  undocumentedFields,
} from '../../lint/message.ts';
import { FlushAdvice, isPronounceable, TextJoints } from '../../lint/sent-text.ts';
import type { FluxMessage, SpeakMessage } from '../wire/client-frames.ts';
import { readWarning, type WarningFrame } from '../wire/server-frames.ts';
import { type Family, familyOf, speedFault } from '../wire/settings.ts';
import type { CommonRuleId } from './rules.ts';

/** Other programs and vendors name it so. */
const KEY_NAMES = wordList('token key api_key apikey access_token authorization bearer');

/** Reports names of fields that the server does not know. Their values may be keys, so no message has them. */
function reportUnknown(
  id: 'unknown-parameter' | 'unknown-field',
  fields: Fields,
  known: readonly string[],
  check: Check<CommonRuleId>,
): void {
  for (const name of undocumentedFields(fields, new Set(known))) {
    const isKey = KEY_NAMES.some((each) => each === name.toLowerCase());
    const message = isKey ? 'expected it elsewhere, got it here' : 'expected a documented name, got another';
    check.once(isKey ? 'key-misplaced' : id, message, name, `field ${name}`);
  }
}

/** Reads the address of a connection and reports its faults. */
function judgeAddress(endpoint: Endpoint, family: Family, address: string, check: Check<CommonRuleId>): void {
  const settings = readAddress(endpoint, address)?.settings;
  if (!settings) return;
  const query = Object.fromEntries(new URLSearchParams(address.split('?', 2)[1] ?? ''));
  const known = endpoint.settings.map(({ field }) => field);
  reportUnknown('unknown-parameter', query, known, check);
  const { model, speed, sample_rate: rate } = query;
  const report = (id: CommonRuleId, field: string, expected: string, found: string | undefined) =>
    check.report(id, `expected ${expected}, got ${shown(found || undefined)}`, field);
  const given = model && familyOf(model);
  if (given && given !== family) report('model-family', 'model', `a model of ${family}`, model);
  // Models of other forms may come.
  const issues = endpoint.checkSettings(settings).filter(({ path }) => path !== 'model');
  reportIssues('setting-refused', issues, check);
  if (family === 'flux' && !model) report('setting-refused', 'model', 'a model', model);
  if (family === 'flux' && speed && speedFault(Number(speed)))
    report('setting-refused', 'speed', FLUX_SPEED, speed);
  if (rate === undefined) report('rate-missing', 'sample_rate', 'a rate in Hz', rate);
}

export const FLUX_SPEED = '0.5 to 1.5 in steps of 0.05';

/** Bytes of a sample and of a millisecond of audio; null where the address does not tell. */
export function sampleSizes(
  endpoint: Endpoint,
  address: string | null,
): { perSample: number; perMs: number } | null {
  const settings = address === null ? undefined : readAddress(endpoint, address)?.settings;
  if (!(Number(settings?.sample_rate) > 0)) return null;
  const { encoding, sampleRate } = endpoint.audioFormat(settings ?? {});
  const perSample = AUDIO_ENCODINGS[encoding].bytesPerSample;
  return perSample === null ? null : { perSample, perMs: (perSample * sampleRate) / 1000 };
}

/** LiveKit gives up after as long without a frame (deepgram-limit-9). A model pauses for less. */
const SILENCE_US = 10 * SECOND_US;
/** The server ends a connection five minutes later. */
const OLD_MINUTES = 55;
const AGAIN_US = 60 * SECOND_US;
/** Of a message that is remembered. */
const MAX_KEPT_CHARS = 4096;
/** Limits the followed turns, because a recording has no end. */
export const MAX_FOLLOWED = 256;

/** A server closes with them only after a Close. */
const OF_CLIENTS: ReadonlySet<number> = new Set([1000, 1005]);
/** Closes that blame a message (deepgram-close-17). */
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
> extends ConnectionCheck<Id | CommonRuleId> {
  turns = 0;
  protected readonly sizes: ReturnType<typeof sampleSizes>;
  /** Oldest first. Only the order says which one an answer belongs to. */
  protected readonly asked = new AskedTurns();
  /** Behind a Close. */
  override isDeaf = false;
  readonly #socket: SocketKind<F>;
  readonly #refused: RefusedMessage;
  readonly #joints = new TextJoints();
  readonly #flushes = new FlushAdvice(this);
  readonly #answer = this.#silence('answer-absent', 'an answer', () => this.#owed);
  readonly #flush = this.#silence('flush-missing', 'a Flush', () => this.asked.open?.at);
  readonly #openedAt = this.now;
  #hasGreeted = false;
  /** The server was silent since it owes an answer. */
  #isWaiting = false;
  /** The last text, or what is no message. */
  #last = '';

  /** @param refused of all connections of a linter */
  constructor(world: CheckWorld<Id | CommonRuleId>, socket: SocketKind<F>, refused: RefusedMessage) {
    super(world);
    this.#socket = socket;
    this.#refused = refused;
    this.sizes = sampleSizes(socket.endpoint, world.address);
  }

  /** The oldest Clear or Interrupt without an answer. */
  protected abstract readonly cancel: LintMoment | undefined;
  protected abstract message(message: M): void;
  protected abstract heard(bytes: number): void;
  protected abstract readonly frameRules: FrameRules<F>;

  /** The client left without Close. */
  protected left(): void {
    this.report('close-missing', 'expected a Close before it, got none', { related: this.unfinished });
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

  override opened(): void {
    const { endpoint, family } = this.#socket;
    if (this.world.address !== null) judgeAddress(endpoint, family, this.world.address, this);
  }

  sent(fields: Fields | null, payload: LintPayload): void {
    if (this.isDeaf) return;
    const message = fields && this.#read(fields);
    if (!message || message.type === 'Speak') this.#compare(payload);
    if (!message) return;
    if (message.type === 'Speak') this.#say(message.text);
    else if (message.type === 'Flush') this.#endText();
    else if (message.type !== 'Configure') {
      this.isDeaf = message.type === 'Close';
      this.#flushes.forget();
      this.#cut();
    }
    this.message(message);
    if (!this.#isWaiting) this.#await();
  }

  received(fields: Fields | null): void {
    const read = readTypedFrame(fields, this.#socket.frames, this);
    const known = read.type === null ? null : (read as KnownFrame<F>);
    this.#greet(known && String(known.type), 'type');
    if (known?.type === 'Warning' && readWarning(known.frame as WarningFrame).code === null)
      this.report('warning-without-code', 'expected warn_code or code, got neither');
    if (known) applyRules(this.frameRules, known.type, known.frame);
    this.#await();
  }

  override audio(bytes: number): void {
    this.#greet('audio', '');
    this.heard(bytes);
    this.#await();
  }

  override closed(code: number): void {
    const related = this.unfinished;
    if (REFUSALS.has(code)) this.#refused.last = { payload: this.#last, at: this.now };
    else if (OF_CLIENTS.has(code)) {
      // Behind a Close, the rest is spoken, or nobody listens any more.
      if (!this.isDeaf) this.left();
    } else if (related)
      this.report('turn-cut-off', 'expected all speech before it, got the end', { related });
  }

  /** The greeting comes first. @param type null for an unreadable frame */
  #greet(type: string | null, path: string): void {
    const { greeting } = this.#socket;
    // An error may come in its place, and an unreadable frame may be it.
    if (type && type.toLowerCase() !== 'error' && (type === greeting) === this.#hasGreeted) {
      const expected = this.#hasGreeted ? `no other ${greeting}` : `${greeting} first`;
      this.once('greeting', `expected ${expected}, got ${type}`, { path });
    }
    this.#hasGreeted = true;
  }

  protected checkSamples(bytes: number): void {
    if (!this.sizes || bytes % this.sizes.perSample === 0) return;
    this.report('odd-bytes', `expected whole samples before it, got ${bytes} bytes`);
  }

  #silence(id: CommonRuleId, awaited: string, waiting: () => LintMoment | undefined): Deadline {
    return this.deadline(SILENCE_US, (time) => {
      const at = waiting();
      if (at) this.once(id, `expected ${awaited}, got none for ${time}`, { at });
    });
  }

  #await(): void {
    this.#isWaiting = this.#owed !== undefined;
    if (this.#isWaiting) this.#answer.start();
    else this.#answer.clear();
  }

  /** Reads a message and reports its faults. @returns null for one that the server refuses */
  #read(fields: Fields): M | null {
    const { messages, hints } = this.#socket;
    const parsed = parserOf(messages)(fields);
    const schema = schemaOf(messages, fields.type);
    if (!schema || !parsed.ok) {
      const issues = parsed.ok ? [] : parsed.issues;
      const hint = Object.hasOwn(hints, String(fields.type)) ? `; ${hints[String(fields.type)]}` : '';
      if (schema) reportIssues('client-shape', issues, this);
      for (const issue of schema ? [] : issues)
        this.report('unknown-type', `${describeIssue(issue)}${hint}`, { path: 'type' });
      return null;
    }
    const message = parsed.value as M;
    reportUnknown('unknown-field', fields, Object.keys(schema.shape), this);
    if (message.type === 'Speak') reportHalf(message.text, 'text', this);
    return message;
  }

  /** Compares a message with the one that another connection ended at. */
  #compare(payload: LintPayload): void {
    this.#last = typeof payload === 'string' ? payload.slice(0, MAX_KEPT_CHARS) : '';
    const { last } = this.#refused;
    if (!last || last.payload !== this.#last || last.at.connection === this.now.connection) return;
    this.#refused.last = null;
    if (this.now.atUs - last.at.atUs > AGAIN_US) return;
    const message = 'expected another message, got the one that the server refused';
    this.report('refused-again', message, { related: last.at });
  }

  #say(text: string): void {
    const isBlank = text.trim() === '';
    if (text === '') this.report('text-empty', 'expected a text, got an empty one', 'text');
    // An empty text is a turn on `/v2/speak` alone (deepgram-text-8).
    if (text === '' && this.#socket.family === 'aura') return;
    const turn = this.asked.at(this.now);
    if (turn.isBlank && !isBlank) this.#begin(text);
    turn.hasText = true;
    turn.isBlank &&= isBlank;
    turn.isSpeakable ||= isPronounceable(text);
    if (!isBlank) this.#flush.start();
    this.#flushes.text(text);
    const fault = this.#joints.text(text);
    if (fault) this.once('words-glued', fault, 'text');
  }

  /** A turn begins with this text. */
  #begin(text: string): void {
    this.turns += 1;
    this.#flushes.began(text);
    const minutes = Math.floor((this.now.atUs - this.#openedAt.atUs) / SECOND_US / 60);
    if (minutes < OLD_MINUTES) return;
    const message = `expected a connection younger than ${OLD_MINUTES} min, got one of ${minutes} min`;
    this.once('socket-old', message);
  }

  #endText(): void {
    const { open } = this.asked;
    const message = 'expected text before it, got white space';
    if (open?.isBlank) this.report('text-empty', message, { related: open.at });
    else if (open) this.#flushes.flushed();
    this.#cut();
  }

  #cut(): void {
    this.#joints.cut();
    this.#flush.clear();
  }
}

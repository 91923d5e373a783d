import { deepEqual } from '#lib/deep-equal.ts';
import { wordList } from '#lib/word-list.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Details } from '../../lint/findings.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import { TextJoints } from '../../lint/text-joints.ts';
import { TextPieces } from '../../lint/text-pieces.ts';
import { CLIENT_FIELDS } from '../wire/client-frames.ts';
import { lengthProblem } from '../wire/decode.ts';
import { audioFormatOf } from '../wire/output-format.ts';
import { DEFAULT_BUFFER_DELAY_MS } from '../wire/settings.ts';
import { hasWord } from '../wire/words.ts';
import type { SentMessage } from './client.ts';
import type { CartesiaRuleId } from './rules.ts';
import type { ReceivedFrame } from './server.ts';
import { TagJoints } from './tag-joints.ts';

/** A context expires 1 s after its last audio (`facts-cartesia` X3). The network moves frames. */
const EXPIRY_US = SECOND_US;
const TOLERANCE_US = 300_000;
/** Clients of LiveKit wait as long (V5). */
const ANSWER_US = 10 * SECOND_US;
/** Text waits nearly for the whole default delay (K12). */
const BUFFER_US = 2.5 * SECOND_US;

/** Those that may change from text to text. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(wordList('transcript continue duration flush context_id'));

const IN_TEXT = { field: 'transcript' };

/** Rules of one context. */
export class FollowedContext {
  /** Text with letters or digits was sent. */
  hasText = false;
  readonly voice: unknown;
  readonly #findings: CheckWorld<CartesiaRuleId>['findings'];
  readonly #id: string;
  /** Of its first message. */
  readonly #settings: Fields;
  readonly #openedAt: LintMoment;
  readonly #isUnbuffered: boolean;
  readonly #sampleBytes: number | null;
  readonly #joints: TextJoints | TextPieces;
  readonly #tags = new TagJoints();
  /** A context waits for one thing at a time. */
  readonly #deadline: Deadline;
  #missed: (atUs: number) => void = () => {};
  /** Start of the last word or phoneme, by the type of its frame. */
  readonly #starts = new Map<string, number>();
  #lastAt: LintMoment;
  /** The last text, until audio follows. */
  #waiting: LintMoment | null = null;
  #audioAt: LintMoment | null = null;
  #endedAt: LintMoment | null = null;
  /** Another context of its voice began before its end. */
  #left: LintMoment | null = null;
  #cancelledAt: LintMoment | null = null;
  #over: { at: LintMoment; by: 'done' | 'expiry' | 'error' } | null = null;
  /** Text was sent behind its end, so the server may have opened another context. */
  #isDoubtful = false;

  /** @param message its first one, which {@link sent} receives as well */
  constructor(world: CheckWorld<CartesiaRuleId>, id: string, { fields }: SentMessage, at: LintMoment) {
    const { max_buffer_delay_ms: delayMs, output_format: output, voice } = fields;
    this.#findings = world.findings;
    this.#id = id;
    this.#settings = fields;
    this.#openedAt = at;
    this.#lastAt = at;
    this.voice = voiceOf(voice);
    this.#isUnbuffered = delayMs === 0;
    this.#sampleBytes =
      AUDIO_ENCODINGS[audioFormatOf(isFields(output) ? output : {}).encoding].bytesPerSample;
    this.#joints = this.#isUnbuffered ? new TextPieces() : new TextJoints();
    this.#deadline = world.deadlines.create((atUs) => this.#missed(atUs));
  }

  /** Whether it counts towards the concurrency of the plan. */
  get isActive(): boolean {
    return !this.#over && !this.#cancelledAt;
  }

  /** The text that the server keeps in its buffer until an end or a flush. */
  get buffered(): LintMoment | null {
    return this.isActive && this.hasText && !this.#endedAt && !this.#isUnbuffered ? this.#waiting : null;
  }

  /** Another context of its voice begins. */
  leave(at: LintMoment): void {
    if (this.isActive && !this.#endedAt && this.#audioAt) this.#left ??= at;
  }

  cancel(at: LintMoment): void {
    this.#cancelledAt ??= at;
    this.clear();
  }

  sent({ text, continues, flush, fields }: SentMessage, at: LintMoment): void {
    const hasWords = text.trim() !== '';
    if (this.#over || this.#endedAt || this.#cancelledAt) {
      if (hasWords) this.#sendLate(at);
      return;
    }
    this.#left = null;
    this.#lastAt = at;
    if (at !== this.#openedAt) this.#compareSettings(fields, at);
    else if (!hasWord(text)) this.#once('first-text-silent', at, 'expected a word, got none', IN_TEXT);
    const split = this.#tags.text(text);
    if (split) this.#once('tag-split', at, split, IN_TEXT);
    const fault = text && this.#joints.text(text);
    if (fault) this.#once(this.#isUnbuffered ? 'unbuffered-fragment' : 'words-glued', at, fault, IN_TEXT);
    this.hasText ||= hasWord(text);
    if (flush && this.#joints instanceof TextJoints) this.#joints.cut();
    if (!continues) this.#endedAt = at;
    if (hasWords) this.#waiting = at;
    const { max_buffer_delay_ms: delayMs = DEFAULT_BUFFER_DELAY_MS } = this.#settings;
    if (!this.hasText) return;
    if (!continues || (this.#waiting && (flush || this.#isUnbuffered))) {
      this.#awaitAnswer(at);
      if (flush) this.#waiting = null;
    } else if (hasWords && Number(delayMs) >= DEFAULT_BUFFER_DELAY_MS) {
      const message = `expected an end, a flush or more text, got none for ${BUFFER_US / SECOND_US} s`;
      this.#await(at.atUs + BUFFER_US, (atUs) => this.#once('buffer-waits', at, message, { atUs }));
    } else if (hasWords) this.clear();
  }

  received({ type, times, bytes }: ReceivedFrame, at: LintMoment): void {
    if (this.#over) {
      const isFault = !this.#isDoubtful && this.#over.by !== 'error' && type !== 'error';
      const related = this.#over.at;
      if (isFault) this.#once('frame-after-done', at, `expected no more frames, got ${type}`, { related });
      return;
    }
    if (times) this.#checkTimes(type, times, at);
    if (type === 'error') this.#end('error', at);
    else if (type === 'done') this.#receiveDone(at);
    else if (type === 'chunk') this.#receiveAudio(bytes, at);
  }

  /** Nothing of it is awaited any more. */
  clear(): void {
    this.#deadline.clear();
  }

  #once(id: CartesiaRuleId, at: LintMoment, message: string, details: Details = {}): void {
    this.#findings.once(id, at, message, { context: this.#id, ...details }, `${id} ${this.#id}`);
  }

  #await(dueUs: number, missed: (atUs: number) => void): void {
    this.#missed = missed;
    this.#deadline.set(dueUs);
  }

  #awaitAnswer(at: LintMoment): void {
    const message = `expected ${this.#endedAt ? 'done' : 'audio'}, got nothing for ${ANSWER_US / SECOND_US} s`;
    this.#await(at.atUs + ANSWER_US, (atUs) => this.#once('answer-absent', this.#lastAt, message, { atUs }));
  }

  /** Text for a context that is ended, cancelled or over. */
  #sendLate(at: LintMoment): void {
    this.#isDoubtful = true;
    const over = this.#over;
    // The text may have left the client before the end of the context reached it.
    if (over?.by === 'expiry' && at.atUs - over.at.atUs < TOLERANCE_US) return;
    const details = { ...IN_TEXT, related: over?.at ?? this.#cancelledAt ?? this.#endedAt };
    const isDropped = this.#cancelledAt || over?.by === 'error';
    const rule = isDropped ? 'context-reused' : over ? 'text-after-done' : 'text-after-end';
    this.#once(rule, at, 'expected text in another context, got it in one that has ended', details);
  }

  #compareSettings(fields: Fields, at: LintMoment): void {
    for (const name of CLIENT_FIELDS) {
      const [first, value] = [this.#settings[name] ?? null, fields[name] ?? null];
      if (TEXT_FIELDS.has(name) || first === null || value === null) continue;
      if (name === 'voice' ? deepEqual(voiceOf(value), this.voice) : deepEqual(first, value)) continue;
      const rule = name === 'voice' || name === 'output_format' ? 'settings-changed' : 'delivery-changed';
      const details = { field: name, related: this.#openedAt };
      this.#once(rule, at, 'expected that of the first message, got another', details);
    }
  }

  /** Times count from the start of the context, over all its texts (`facts-cartesia` R10). */
  #checkTimes(type: string, times: NonNullable<ReceivedFrame['times']>, at: LintMoment): void {
    const { start, end } = times;
    const before = this.#starts.get(type) ?? 0;
    this.#starts.set(type, start.at(-1) ?? before);
    const fault = start.findIndex(
      (from, index) => from < (start[index - 1] ?? before) || Number(end[index]) < from,
    );
    const fall = fault < 0 ? null : `expected times that rise, got ${start[fault]} to ${end[fault]} s`;
    const problem = lengthProblem(times) ?? fall;
    if (problem)
      this.#once('times-wrong', at, problem, { path: type === 'timestamps' ? 'word_timestamps' : type });
  }

  #receiveAudio(bytes: number | null, at: LintMoment): void {
    this.#waiting = null;
    this.#audioAt = at;
    if (bytes !== null && this.#sampleBytes && bytes % this.#sampleBytes !== 0) {
      const message = `expected samples of ${this.#sampleBytes} bytes, got ${bytes} bytes`;
      this.#once('odd-bytes', at, message, { field: 'data' });
    }
    if (this.#cancelledAt) return;
    if (this.#endedAt) this.#awaitAnswer(at);
    else this.#await(at.atUs + EXPIRY_US + TOLERANCE_US, (atUs) => this.#expire(atUs));
  }

  #receiveDone(at: LintMoment): void {
    const isAsked = this.#endedAt !== null || this.#cancelledAt !== null;
    if (!isAsked) {
      // Text may have crossed with it.
      const sinceUs = this.#audioAt ? at.atUs - this.#audioAt.atUs : 0;
      if (sinceUs >= EXPIRY_US - TOLERANCE_US) this.#expire(at.atUs);
      else this.#once('done-unasked', at, 'expected an end or 1 s without audio before it, got neither');
    }
    this.#end(isAsked ? 'done' : 'expiry', at);
  }

  /** The client left the context without an end. */
  #expire(atUs: number): void {
    const left = this.#left;
    if (left && this.#audioAt && this.#audioAt.atUs > left.atUs) {
      const message = 'expected a cancel of the context before, got none';
      this.#once('barge-in-uncancelled', left, message, { atUs, related: this.#openedAt });
    } else {
      const message = 'expected text or an end within 1 s of its audio, got none';
      this.#once('context-idle', this.#lastAt, message, { atUs, related: this.#audioAt });
    }
  }

  #end(by: 'done' | 'expiry' | 'error', at: LintMoment): void {
    this.#over = { at, by };
    this.clear();
  }
}

/** The id of a voice in any form. */
const voiceOf = (voice: unknown): unknown =>
  isFields(voice) && voice.mode !== 'embedding' ? voice.id : voice;

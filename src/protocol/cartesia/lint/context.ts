import { deepEqual } from '#lib/deep-equal.ts';
import { wordList } from '#lib/word-list.ts';
import { AUDIO_ENCODINGS } from '../../core/audio-format.ts';
import { type Fields, isFields } from '../../core/json-frame.ts';
import type { LintMoment } from '../../core/rule.ts';
import { Check, type CheckWorld } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { type Joints, TextJoints, TextPieces } from '../../lint/sent-text.ts';
import { CLIENT_FIELDS } from '../wire/client-frames.ts';
import { lengthProblem } from '../wire/server-frames.ts';
import { audioFormatOf, DEFAULT_BUFFER_DELAY_MS } from '../wire/settings.ts';
import { hasWord } from '../wire/words.ts';
import type { ReceivedFrame, SentMessage } from './messages.ts';
import type { CartesiaRuleId } from './rules.ts';

/** A context expires 1 s after its last audio (cartesia-context-4). The network moves frames. */
const EXPIRY_US = SECOND_US;
const TOLERANCE_US = 300_000;
/** LiveKit for Python waits as long (cartesia-limit-5). */
const ANSWER_US = 10 * SECOND_US;
/** Text waits nearly for the whole default delay. */
const BUFFER_US = 2.5 * SECOND_US;

/** Those that may change from text to text. */
const TEXT_FIELDS: ReadonlySet<string> = new Set(wordList('transcript continue duration flush context_id'));

/** Rules of one context. */
export class FollowedContext extends Check<CartesiaRuleId> {
  /** Text with letters or digits was sent. */
  hasText = false;
  readonly voice: unknown;
  /** Of its first message. */
  readonly #settings: Fields;
  readonly #openedAt = this.now;
  readonly #isUnbuffered: boolean;
  readonly #sampleBytes: number | null;
  readonly #joints: Joints;
  readonly #tags = new TagJoints();
  /** A context waits for one thing at a time. */
  readonly #awaited = this.deadline(0, (time) => this.#missed(time));
  #missed: (time: string) => void = () => {};
  /** Start of the last word or phoneme, by the type of its frame. */
  readonly #starts = new Map<string, number>();
  #lastAt = this.now;
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
  constructor(world: CheckWorld<CartesiaRuleId>, id: string, { fields }: SentMessage) {
    super(world, id);
    const { max_buffer_delay_ms: delayMs, output_format: output, voice } = fields;
    const { encoding } = audioFormatOf(isFields(output) ? output : {});
    this.#settings = fields;
    this.voice = voiceOf(voice);
    this.#isUnbuffered = delayMs === 0;
    this.#sampleBytes = AUDIO_ENCODINGS[encoding].bytesPerSample;
    this.#joints = this.#isUnbuffered ? new TextPieces() : new TextJoints();
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
  leave(): void {
    if (this.isActive && !this.#endedAt && this.#audioAt) this.#left ??= this.now;
  }

  cancel(): void {
    this.#cancelledAt ??= this.now;
    this.rest();
  }

  sent({ text, continues, flush, fields }: SentMessage): void {
    const { now } = this;
    const hasWords = text.trim() !== '';
    if (this.#over || this.#endedAt || this.#cancelledAt) {
      if (hasWords) this.#sendLate();
      return;
    }
    this.#left = null;
    this.#lastAt = now;
    if (now !== this.#openedAt) this.#compareSettings(fields);
    else if (!hasWord(text)) this.once('first-text-silent', 'expected a word, got none', 'transcript');
    const split = this.#tags.text(text);
    if (split) this.once('tag-split', split, 'transcript');
    const fault = text && this.#joints.text(text);
    if (fault) this.once(this.#isUnbuffered ? 'unbuffered-fragment' : 'words-glued', fault, 'transcript');
    this.hasText ||= hasWord(text);
    if (flush) this.#joints.cut();
    if (!continues) this.#endedAt = now;
    if (hasWords) this.#waiting = now;
    const { max_buffer_delay_ms: delayMs = DEFAULT_BUFFER_DELAY_MS } = this.#settings;
    if (!this.hasText) return;
    if (!continues || (this.#waiting && (flush || this.#isUnbuffered))) {
      this.#awaitAnswer();
      if (flush) this.#waiting = null;
    } else if (hasWords && Number(delayMs) >= DEFAULT_BUFFER_DELAY_MS) {
      this.#await(BUFFER_US, (time) =>
        this.once('buffer-waits', `expected an end, a flush or more text, got none for ${time}`, { at: now }),
      );
    } else if (hasWords) this.rest();
  }

  received({ type, times, bytes }: ReceivedFrame): void {
    if (this.#over) {
      const { by, at: related } = this.#over;
      const isFault = !this.#isDoubtful && by !== 'error' && type !== 'error';
      if (isFault) this.once('frame-after-done', `expected no more frames, got ${type}`, { related });
      return;
    }
    if (times) this.#checkTimes(type, times);
    if (type === 'error') this.#end('error');
    else if (type === 'done') this.#receiveDone();
    else if (type === 'chunk') this.#receiveAudio(bytes);
  }

  #await(afterUs: number, missed: (time: string) => void): void {
    this.#missed = missed;
    this.#awaited.start(afterUs);
  }

  #awaitAnswer(): void {
    const answer = this.#endedAt ? 'done' : 'audio';
    this.#await(ANSWER_US, (time) =>
      this.once('answer-absent', `expected ${answer}, got nothing for ${time}`, { at: this.#lastAt }),
    );
  }

  /** Text for a context that is ended, cancelled or over. */
  #sendLate(): void {
    this.#isDoubtful = true;
    const over = this.#over;
    // The text may have left the client before the end of the context reached it.
    if (over?.by === 'expiry' && this.now.atUs - over.at.atUs < TOLERANCE_US) return;
    const related = over?.at ?? this.#cancelledAt ?? this.#endedAt;
    const isDropped = this.#cancelledAt || over?.by === 'error';
    const rule = isDropped ? 'context-reused' : over ? 'text-after-done' : 'text-after-end';
    const message = 'expected text in another context, got it in one that has ended';
    this.once(rule, message, { field: 'transcript', related });
  }

  #compareSettings(fields: Fields): void {
    for (const name of CLIENT_FIELDS) {
      const [first, value] = [this.#settings[name] ?? null, fields[name] ?? null];
      if (TEXT_FIELDS.has(name) || first === null || value === null) continue;
      if (name === 'voice' ? deepEqual(voiceOf(value), this.voice) : deepEqual(first, value)) continue;
      const rule = name === 'voice' || name === 'output_format' ? 'settings-changed' : 'delivery-changed';
      const details = { field: name, related: this.#openedAt };
      this.once(rule, 'expected that of the first message, got another', details);
    }
  }

  /** Times count from the start of the context, over all its texts. */
  #checkTimes(type: string, times: NonNullable<ReceivedFrame['times']>): void {
    const { start, end } = times;
    const before = this.#starts.get(type) ?? 0;
    this.#starts.set(type, start.at(-1) ?? before);
    const fault = start.findIndex(
      (from, index) => from < (start[index - 1] ?? before) || Number(end[index]) < from,
    );
    const fall = fault < 0 ? null : `expected times that rise, got ${start[fault]} to ${end[fault]} s`;
    const problem = lengthProblem(times) ?? fall;
    if (problem)
      this.once('times-wrong', problem, { path: type === 'timestamps' ? 'word_timestamps' : type });
  }

  #receiveAudio(bytes: number | null): void {
    this.#waiting = null;
    this.#audioAt = this.now;
    if (bytes !== null && this.#sampleBytes && bytes % this.#sampleBytes !== 0)
      this.once('odd-bytes', `expected samples of ${this.#sampleBytes} bytes, got ${bytes} bytes`, 'data');
    if (this.#cancelledAt) return;
    if (this.#endedAt) this.#awaitAnswer();
    else this.#await(EXPIRY_US + TOLERANCE_US, () => this.#expire());
  }

  #receiveDone(): void {
    const isAsked = this.#endedAt !== null || this.#cancelledAt !== null;
    if (!isAsked) {
      // Text may have crossed with it.
      const sinceUs = this.#audioAt ? this.now.atUs - this.#audioAt.atUs : 0;
      if (sinceUs >= EXPIRY_US - TOLERANCE_US) this.#expire();
      else this.once('done-unasked', 'expected an end or 1 s without audio before it, got neither');
    }
    this.#end(isAsked ? 'done' : 'expiry');
  }

  /** The client left the context without an end. */
  #expire(): void {
    const left = this.#left;
    if (left && this.#audioAt && this.#audioAt.atUs > left.atUs) {
      const message = 'expected a cancel of the context before, got none';
      this.once('barge-in-uncancelled', message, { at: left, related: this.#openedAt });
    } else {
      const message = 'expected text or an end within 1 s of its audio, got none';
      this.once('context-idle', message, { at: this.#lastAt, related: this.#audioAt });
    }
  }

  #end(by: 'done' | 'expiry' | 'error'): void {
    this.#over = { at: this.now, by };
    this.rest();
  }
}

/** The id of a voice in any form. */
const voiceOf = (voice: unknown): unknown =>
  isFields(voice) && voice.mode !== 'embedding' ? voice.id : voice;

/** Tags within texts. */
const TAG = /^<\/?(?:spell|emotion|break|volume|speed)\b[^<>]*>/;
/** A tag that is not complete at the end of a text. */
const OPEN_TAG = /<[^<>]*$/;
const SPELL = /<(\/?)spell>/g;
/** No tag is as long. */
const MAX_TAG_CHARS = 64;

/** Finds tags that one message opens and a later one closes. */
class TagJoints {
  #tail = '';
  #isSpelling = false;

  /** Returns the fault of this text; null without one. */
  text(text: string): string | null {
    const [tag] = this.#tail === '' ? [] : (TAG.exec(this.#tail + text) ?? []);
    const [tail = ''] = OPEN_TAG.exec(tag === undefined ? this.#tail + text : text) ?? [];
    this.#tail = tail.length < MAX_TAG_CHARS ? tail : '';
    const spells = [...text.matchAll(SPELL)].map(([, slash]) => slash === '');
    const isClosed = this.#isSpelling && spells[0] === false;
    this.#isSpelling = spells.at(-1) ?? this.#isSpelling;
    if (tag !== undefined) return 'expected a whole tag, got its end';
    return isClosed ? 'expected <spell> in the message of its end, got it in an earlier one' : null;
  }
}

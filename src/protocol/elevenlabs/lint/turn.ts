import { deepEqual } from '#lib/deep-equal.ts';
import type { Settings } from '../../core/endpoint.ts';
import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import type { ClientMessage } from '../wire/client-frames.ts';
import { DELIVERY_SETTINGS } from '../wire/settings.ts';
import type { AddressTraits } from './address.ts';
import type { ElevenLabsRuleId } from './rules.ts';
import type { SpeechFrame } from './server.ts';
import { TextJoints } from './text-joints.ts';
import { TurnAudio } from './turn-audio.ts';

/** First audio takes 0.6 s (`facts-elevenlabs 4.2`), after the queue. */
const ANSWER_US = 30 * SECOND_US;
/** A client that wants an end sends it with the flush. */
const END_US = 10 * SECOND_US;
/** Below it, a trigger has no effect. */
const MIN_TRIGGER_CHARS = 50;
const TRIGGER_US = 5 * SECOND_US;
/** Sent this soon after text, a message is about the end of that text, and no barge-in or timer. */
const BEHIND_TEXT_US = 200_000;

export interface TurnWorld extends CheckWorld<ElevenLabsRuleId> {
  /** Null where the address is unknown. */
  traits: AddressTraits | null;
  isMulti: boolean;
}

/** Rules of one turn: a connection to `stream-input`, or a context of `multi-stream-input`. */
export class VoiceTurn {
  readonly openedAt: LintMoment;
  endedAt: LintMoment | null = null;
  /** Of its final. */
  overAt: LintMoment | null = null;
  /** Text other than blanks was sent. */
  hasText = false;
  hasAudio = false;
  /** Of the client. */
  lastAt: LintMoment;
  /** The last text, unless it was flushed. */
  unflushed: LintMoment | null = null;
  /** Letters or digits were flushed, so the server owes audio. */
  isOwed = false;
  /** A frame came after the end. */
  #isAnswered = false;
  readonly #world: TurnWorld;
  readonly #report: ReportFinding<ElevenLabsRuleId>;
  readonly #audio: TurnAudio;
  readonly #joints: TextJoints;
  readonly #voice: Settings;
  readonly #answer: Deadline;
  readonly #end: Deadline;
  readonly #trigger: Deadline;
  readonly #deadlines: readonly Deadline[];
  #flushedAt: LintMoment | null = null;
  /** The last blank text behind text. */
  #blankAt: LintMoment | null = null;
  #textAt: LintMoment | null = null;
  #isSpeakable = false;
  #chars = 0;
  #isStrayReported = false;

  /** @param message its first one, which {@link sent} receives as well */
  constructor(world: TurnWorld, id: string | null, message: ClientMessage, at: LintMoment) {
    const { findings, deadlines, traits } = world;
    this.openedAt = at;
    this.lastAt = at;
    this.#world = world;
    this.#report = findings.in(id);
    this.#voice = voiceIn(message);
    this.#audio = new TurnAudio(this.#report, traits);
    this.#joints = new TextJoints((rule, moment, text, field) => {
      const details = typeof field === 'string' ? { field } : field;
      findings.once(rule, moment, text, { context: id, ...details });
    }, traits);
    this.#answer = deadlines.create((atUs) => this.#missAnswer(atUs));
    this.#end = deadlines.create((atUs) => this.#missEnd(atUs));
    this.#trigger = deadlines.create((atUs) => {
      const text = `expected at least ${MIN_TRIGGER_CHARS} characters before it, got ${this.#chars}`;
      findings.once('trigger-little', this.lastAt, text, {
        context: id,
        field: 'try_trigger_generation',
        atUs,
      });
    });
    this.#deadlines = [this.#answer, this.#end, this.#trigger];
  }

  /** The moment whose speech is not complete; null where nothing is known to be missing. */
  get unfinished(): LintMoment | null {
    if (!this.hasText || this.overAt) return null;
    if (this.endedAt) return this.endedAt;
    if (!this.hasAudio) return this.#textAt;
    return this.#world.traits?.isAuto === false ? this.unflushed : null;
  }

  /** The client closed the connection without waiting for anything. @param closedUs when */
  hasNotWaited(closedUs: number): boolean {
    return (
      this.unfinished !== null &&
      this.endedAt !== null &&
      !this.#isAnswered &&
      closedUs - this.endedAt.atUs < SECOND_US
    );
  }

  sent(message: ClientMessage, ends: boolean, at: LintMoment): void {
    const { text = '', flush, settings, tryTrigger } = message;
    this.#checkVoice(message, at);
    if (this.endedAt) {
      if (text.trim() === '' || this.#isStrayReported) return;
      this.#isStrayReported = true;
      const found = `got ${text.length} characters`;
      this.#report('text-after-end', at, `expected none after the end, ${found}`, {
        field: 'text',
        related: this.endedAt,
      });
      return;
    }
    this.#audio.hasDictionary ||= settings?.pronunciation_dictionary_locators !== undefined;
    this.lastAt = at;
    this.#trigger.clear();
    // The text beside a close is ignored (`facts-elevenlabs 2.3.9`).
    if (text.trim() !== '' && !message.closeContext) this.#say(text, at);
    else if (this.#isBehindText(at) && message.text !== undefined && !flush && !settings) {
      if (this.#world.isMulti) this.#blankAt = at;
      if (text === ' ') this.#joints.text(text, at);
    }
    if (flush) this.#flush(at);
    if (ends) this.#endInput(message, at);
    else if (this.#blankAt === at || (flush && !this.#world.isMulti && this.hasText)) {
      this.#end.set(at.atUs + END_US);
    } else if (tryTrigger && this.#chars > 0 && this.#chars < MIN_TRIGGER_CHARS && !this.hasAudio) {
      this.#trigger.set(at.atUs + TRIGGER_US);
    }
  }

  received(frame: SpeechFrame, at: LintMoment, isFinalDue: boolean): void {
    const { bytes, isFinal } = frame;
    this.#isAnswered ||= this.endedAt !== null;
    if (bytes !== null) this.#hear(frame, at);
    if (isFinal) this.#final(at, isFinalDue);
  }

  /** Nothing of it is followed any more. */
  over(): void {
    for (const deadline of this.#deadlines) deadline.clear();
  }

  #say(text: string, at: LintMoment): void {
    this.hasText = true;
    this.unflushed = at;
    this.#textAt = at;
    this.#blankAt = null;
    this.#chars += text.length;
    this.#isSpeakable ||= /[\p{L}\p{N}]/u.test(text);
    this.#end.clear();
    this.#joints.text(text, at);
  }

  #flush(at: LintMoment): void {
    this.#joints.cut();
    this.#end.clear();
    this.#blankAt = null;
    this.#chars = 0;
    this.unflushed = null;
    if (!this.#isSpeakable) return;
    this.#flushedAt = at;
    this.isOwed = true;
    this.#isSpeakable = false;
    this.#answer.set(at.atUs + ANSWER_US);
  }

  #endInput({ closeContext }: ClientMessage, at: LintMoment): void {
    const { traits } = this.#world;
    const dropped = closeContext && traits?.isAuto === false && !this.hasAudio && this.unflushed;
    if (dropped && this.#isBehindText(at)) {
      const message = `expected a flush before it, got ${this.#chars} characters that were not flushed`;
      this.#report('close-drops-text', at, message, { field: 'close_context', related: dropped });
    }
    if (!closeContext) this.#flush(at);
    this.#end.clear();
    this.endedAt = at;
    this.#answer.set(at.atUs + ANSWER_US);
  }

  #hear(frame: SpeechFrame, at: LintMoment): void {
    this.hasAudio = true;
    if (this.overAt || !this.hasText) {
      if (this.#isStrayReported) return;
      this.#isStrayReported = true;
      const id = this.overAt ? 'audio-after-final' : 'speech-unasked';
      const when = this.overAt ? 'after the final' : 'before any text';
      this.#report(id, at, `expected no audio ${when}, got some`, { related: this.overAt });
      return;
    }
    this.#audio.add(frame, at);
    this.#trigger.clear();
    if (this.endedAt) this.#answer.set(at.atUs + ANSWER_US);
    else this.#answer.clear();
    if (this.#end.dueUs > at.atUs && this.#flushedAt && !this.#world.isMulti && !this.unflushed) {
      this.#end.set(at.atUs + END_US);
    }
  }

  #final(at: LintMoment, isDue: boolean): void {
    if (this.overAt) {
      this.#report('final-twice', at, 'isFinal: expected it once, got it again', { related: this.overAt });
      return;
    }
    if (this.hasAudio) {
      this.#audio.end(at);
      if (!this.endedAt && !isDue) {
        this.#report('final-unasked', at, 'expected an end of the input before it, got none', 'isFinal');
      }
    } else if (this.isOwed && !isDue) {
      this.#report('final-without-audio', at, 'expected audio before it, got none', {
        field: 'isFinal',
        related: this.#flushedAt,
      });
    }
    this.overAt = at;
    this.over();
  }

  #isBehindText(at: LintMoment): boolean {
    return this.#textAt !== null && at.atUs - this.#textAt.atUs < BEHIND_TEXT_US;
  }

  #checkVoice(message: ClientMessage, at: LintMoment): void {
    const voice = voiceIn(message);
    const isSame = deepEqual(filled(voice), filled(this.#voice)) && hasFields(this.#voice);
    if (at === this.openedAt || !hasFields(voice) || isSame) return;
    const expected = hasFields(this.#voice) ? 'those of the first message' : 'them in the first message only';
    this.#report('settings-changed', at, `expected ${expected}, got others`, {
      field: 'voice_settings',
      related: this.openedAt,
    });
  }

  #missAnswer(atUs: number): void {
    const at = this.endedAt ?? this.#flushedAt;
    if (!at) return;
    const expected = this.endedAt ? 'the final' : 'audio';
    this.#report('answer-absent', at, `expected ${expected}, got nothing for ${ANSWER_US / SECOND_US} s`, {
      atUs,
    });
  }

  /** A blank text, or a flush of `stream-input`, was the last message. */
  #missEnd(atUs: number): void {
    const seconds = `for ${END_US / SECOND_US} s`;
    if (this.#blankAt) {
      const message = `expected flush and close_context after the text, got a blank text and nothing ${seconds}`;
      this.#report('blank-not-end', this.#blankAt, message, { path: 'text', atUs });
    } else if (this.#flushedAt) {
      const message = `expected more text or empty text, got nothing ${seconds}`;
      this.#world.findings.once('flush-without-end', this.#flushedAt, message, { path: 'flush', atUs });
    }
  }
}

const isDelivery: ReadonlySet<string> = new Set(DELIVERY_SETTINGS.map(({ field }) => field));

const voiceIn = ({ settings = {} }: ClientMessage): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([field]) => isDelivery.has(field)));

const hasFields = (settings: Settings): boolean => Object.keys(settings).length > 0;

const filled = (voice: Settings): unknown[] =>
  DELIVERY_SETTINGS.map(({ field, fallback }) => voice[field] ?? fallback);

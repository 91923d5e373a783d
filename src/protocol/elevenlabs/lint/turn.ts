import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { Details, ReportFinding } from '../../lint/findings.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import { TextJoints } from '../../lint/text-joints.ts';
import { TextPieces } from '../../lint/text-pieces.ts';
import { type ClientMessage, deliveryOf } from '../wire/client-frames.ts';
import type { AddressTraits } from './address.ts';

import type { ElevenLabsRuleId } from './rules.ts';
import type { SpeechFrame } from './server.ts';
import { TurnAudio } from './turn-audio.ts';

/** First audio takes 0.6 s (`facts-elevenlabs 4.2`), after the queue. */
const ANSWER_US = 30 * SECOND_US;
/** A client that knows of the end sends it with the last text. */
const END_US = 10 * SECOND_US;
/** This soon after text, a message is about that text, and is no barge-in and no timer. */
const BEHIND_TEXT_US = 200_000;

export interface VoiceWorld extends CheckWorld<ElevenLabsRuleId> {
  /** Null where the address is unknown. */
  traits: AddressTraits | null;
  isMulti: boolean;
}

/** Rules of one turn: a connection to `stream-input`, or a context of `multi-stream-input`. */
export class VoiceTurn {
  readonly openedAt: LintMoment;
  /** The last message of the client. */
  lastAt: LintMoment;
  endedAt: LintMoment | null = null;
  overAt: LintMoment | null = null;
  /** Text other than blanks was sent. */
  hasText = false;
  hasAudio = false;
  readonly #world: VoiceWorld;
  readonly #report: ReportFinding<ElevenLabsRuleId>;
  readonly #once: (id: ElevenLabsRuleId, at: LintMoment, message: string, details?: Details) => void;
  readonly #audio: TurnAudio;
  /** Null where the address is unknown. */
  readonly #joints: TextJoints | TextPieces | null;
  /** Of its first message. */
  readonly #delivery: string | null;
  readonly #answer: Deadline;
  readonly #end: Deadline;
  /** The last flush of letters or digits, for which the server owes audio. */
  #flushedAt: LintMoment | null = null;
  /** The last text, unless it was flushed. */
  #unflushed: LintMoment | null = null;
  #isSpeakable = false;
  /** Messages crossed with its final, so its id may be that of another context already. */
  #isDoubtful = false;
  /** Since the last flush. */
  #chars = 0;

  /** @param message its first one, which {@link sent} receives as well */
  constructor(world: VoiceWorld, id: string | null, message: ClientMessage, at: LintMoment) {
    const { findings, deadlines, traits } = world;
    this.openedAt = at;
    this.lastAt = at;
    this.#world = world;
    this.#report = findings.in(id);
    this.#delivery = deliveryOf(message);
    this.#audio = new TurnAudio(this.#report, traits);
    this.#once = (rule, moment, text, details) =>
      findings.once(rule, moment, text, { context: id, ...details }, `${rule} ${id}`);
    this.#joints = traits && (traits.isAuto ? new TextPieces() : new TextJoints());
    this.#answer = deadlines.create((atUs) => {
      const text = `expected ${this.endedAt ? 'the final' : 'audio'}, got nothing for ${ANSWER_US / SECOND_US} s`;
      this.#report('answer-absent', this.endedAt ?? this.lastAt, text, { atUs });
    });
    this.#end = deadlines.create((atUs) => {
      const text = `expected the end of the turn, got nothing for ${END_US / SECOND_US} s`;
      this.#once('end-missing', this.lastAt, text, { atUs });
    });
  }

  /** The moment whose speech is not complete; null where nothing is known to be missing. */
  get unfinished(): LintMoment | null {
    if (!this.hasText || this.overAt) return null;
    return this.endedAt ?? (this.hasAudio ? null : this.lastAt);
  }

  sent(message: ClientMessage, ends: boolean, at: LintMoment): void {
    const { text, flush, settings, closeContext } = message;
    // The text beside a close is ignored (`facts-elevenlabs 2.3.9`).
    const said = closeContext || !text?.trim() ? '' : text;
    const delivery = at === this.openedAt ? null : deliveryOf(message);
    if (delivery !== null && delivery !== this.#delivery) {
      const details = { field: 'voice_settings', related: this.openedAt };
      this.#report('settings-changed', at, 'expected those of the first message, got others', details);
    }
    if (this.endedAt) {
      this.#isDoubtful ||= !closeContext;
      const details = { field: 'text', related: this.endedAt };
      if (said !== '') this.#once('text-after-end', at, 'expected none after the end, got some', details);
      return;
    }
    this.#audio.hasDictionary ||= settings?.pronunciation_dictionary_locators !== undefined;
    this.lastAt = at;
    const isBlankEnd = this.#world.isMulti && text !== undefined && said === '' && this.#isBehindText(at);
    const fault = text ? this.#joints?.text(text) : null;
    if (fault)
      this.#once(this.#joints instanceof TextPieces ? 'auto-mode-fragment' : 'words-glued', at, fault, {
        field: 'text',
      });
    if (said !== '') {
      this.hasText = true;
      this.#unflushed = at;
      this.#chars += said.length;
      this.#isSpeakable ||= /[\p{L}\p{N}]/u.test(said);
    }
    if (said !== '' || flush || closeContext) this.#end.clear();
    if (ends) this.#endInput(closeContext, at);
    else if (flush) this.#flush(at);
    else if (isBlankEnd) this.#end.set(at.atUs + END_US);
  }

  /** @param mayEnd the connection is about to close */
  received(frame: SpeechFrame, mayEnd: boolean, at: LintMoment): void {
    if (this.overAt && this.#isDoubtful && this.#world.isMulti) return;
    if (frame.base64 !== null) this.#hear(frame, at);
    if (frame.isFinal) this.#final(mayEnd, at);
  }

  /** Nothing of it is followed any more. */
  over(): void {
    for (const deadline of [this.#answer, this.#end]) deadline.clear();
  }

  #flush(at: LintMoment): void {
    if (this.#joints instanceof TextJoints) this.#joints.cut();
    this.#chars = 0;
    this.#unflushed = null;
    if (!this.#world.isMulti && this.hasText) this.#end.set(at.atUs + END_US);
    if (!this.#isSpeakable) return;
    this.#isSpeakable = false;
    this.#flushedAt = at;
    this.#answer.set(at.atUs + ANSWER_US);
  }

  #endInput(isClose: boolean, at: LintMoment): void {
    const isDropped = isClose && this.#world.traits?.isAuto === false && !this.hasAudio;
    if (isDropped && this.#isBehindText(at)) {
      const message = `expected a flush before it, got ${this.#chars} characters without one`;
      this.#report('close-drops-text', at, message, { field: 'close_context', related: this.#unflushed });
    }
    if (!isClose) this.#flush(at);
    this.#end.clear();
    this.endedAt = at;
    this.#answer.set(at.atUs + ANSWER_US);
  }

  #hear(frame: SpeechFrame, at: LintMoment): void {
    if (this.overAt) {
      const related = this.overAt;
      this.#once('audio-after-final', at, 'expected no more audio, got some', { related });
      return;
    }
    if (!this.hasText) this.#once('speech-unasked', at, 'expected text before it, got none');
    this.hasAudio = true;
    // All text may be spoken.
    this.#isSpeakable = false;
    this.#audio.add(frame, at);
    this.#answer.clear();
    if (this.endedAt) this.#answer.set(at.atUs + ANSWER_US);
    // The speech of a flush goes on.
    else if (!this.#world.isMulti && !this.#unflushed) this.#end.set(at.atUs + END_US);
  }

  #final(mayEnd: boolean, at: LintMoment): void {
    const report = (id: ElevenLabsRuleId, message: string, related: LintMoment | null) =>
      this.#report(id, at, message, { field: 'isFinal', related });
    if (this.overAt) report('final-twice', 'expected it once, got it again', this.overAt);
    else if (this.hasAudio) {
      this.#audio.end(at);
      if (!this.endedAt && !mayEnd) report('final-unasked', 'expected an end of the input, got none', null);
    } else if (this.#flushedAt && !mayEnd) {
      report('final-without-audio', 'expected audio before it, got none', this.#flushedAt);
    }
    this.overAt = at;
    this.over();
  }

  #isBehindText(at: LintMoment): boolean {
    return this.#unflushed !== null && at.atUs - this.#unflushed.atUs < BEHIND_TEXT_US;
  }
}

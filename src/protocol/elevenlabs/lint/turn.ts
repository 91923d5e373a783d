import type { LintMoment } from '../../core/rule.ts';
import { Check, type CheckWorld } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { isPronounceable, type Joints, TextJoints, TextPieces } from '../../lint/sent-text.ts';
import { type ClientMessage, deliveryOf } from '../wire/client-frames.ts';
import { beginsAgain, type MessageTexts, messageTextsOf } from '../wire/segments.ts';
import type { Alignment } from '../wire/server-frames.ts';
import type { AddressTraits, SpeechFrame } from './messages.ts';
import type { ElevenLabsRuleId } from './rules.ts';

/** Measured answers take less than 1 s (elevenlabs-turn-3). Generations may wait in a queue. */
const ANSWER_US = 30 * SECOND_US;
/** A client that knows of the end sends it with the last text. */
const END_US = 10 * SECOND_US;
/** This soon after text, a message is about that text, and is no barge-in and no timer. */
const BEHIND_TEXT_US = 200_000;
/** Recorded sums agree within 1 ms a segment, and another author saw more (elevenlabs-words-4). */
const TOLERATED_MS = 100;
const TOLERATED_SHARE = 0.05;

/** The traits of a connection that decide which rules hold for its turns. */
export interface SocketTraits {
  /** Null where the address is unknown. */
  address: AddressTraits | null;
  isMulti: boolean;
}

/** Rules of one turn: a connection to `stream-input`, or a context of `multi-stream-input`. */
export class VoiceTurn extends Check<ElevenLabsRuleId> {
  readonly openedAt = this.now;
  /** The last message of the client. */
  lastAt = this.now;
  endedAt: LintMoment | null = null;
  overAt: LintMoment | null = null;
  /** Text other than blanks was sent. */
  hasText = false;
  hasAudio = false;
  readonly #traits: SocketTraits;
  readonly #audio: TurnAudio;
  /** Null where the address is unknown. */
  readonly #joints: Joints | null;
  /** Of its first message. */
  readonly #delivery: string | null;
  readonly #answer = this.deadline(ANSWER_US, (time) => {
    const message = `expected ${this.endedAt ? 'the final' : 'audio'}, got nothing for ${time}`;
    this.report('answer-absent', message, { at: this.endedAt ?? this.lastAt });
  });
  readonly #end = this.deadline(END_US, (time) => {
    this.once('end-missing', `expected the end of the turn, got nothing for ${time}`, { at: this.lastAt });
  });
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
  constructor(
    world: CheckWorld<ElevenLabsRuleId>,
    id: string | null,
    traits: SocketTraits,
    message: ClientMessage,
  ) {
    super(world, id);
    const { address } = traits;
    this.#traits = traits;
    this.#delivery = deliveryOf(message);
    this.#audio = new TurnAudio(world, id, address);
    this.#joints = address && (address.isAuto ? new TextPieces() : new TextJoints());
  }

  /** The moment whose speech is not complete; null where nothing is known to be missing. */
  get unfinished(): LintMoment | null {
    if (!this.hasText || this.overAt) return null;
    return this.endedAt ?? (this.hasAudio ? null : this.lastAt);
  }

  get #isBehindText(): boolean {
    return this.#unflushed !== null && this.now.atUs - this.#unflushed.atUs < BEHIND_TEXT_US;
  }

  sent(message: ClientMessage, ends: boolean): void {
    const { text, flush, settings, closeContext } = message;
    const { isMulti, address } = this.#traits;
    // The server ignores the text beside a close.
    const said = closeContext || !text?.trim() ? '' : text;
    const delivery = this.now === this.openedAt ? null : deliveryOf(message);
    if (delivery !== null && delivery !== this.#delivery) {
      const details = { field: 'voice_settings', related: this.openedAt };
      this.report('settings-changed', 'expected those of the first message, got others', details);
    }
    if (this.endedAt) {
      this.#isDoubtful ||= !closeContext;
      const details = { field: 'text', related: this.endedAt };
      if (said !== '') this.once('text-after-end', 'expected none after the end, got some', details);
      return;
    }
    this.#audio.hasDictionary ||= settings?.pronunciation_dictionary_locators !== undefined;
    this.lastAt = this.now;
    const isBlankEnd = isMulti && text !== undefined && said === '' && this.#isBehindText;
    const fault = text ? this.#joints?.text(text) : null;
    if (fault) this.once(address?.isAuto ? 'auto-mode-fragment' : 'words-glued', fault, 'text');
    if (said !== '') {
      this.hasText = true;
      this.#unflushed = this.now;
      this.#chars += said.length;
      this.#isSpeakable ||= isPronounceable(said);
    }
    if (said !== '' || flush || closeContext) this.#end.clear();
    if (ends) this.#endInput(closeContext);
    else if (flush) this.#flush();
    else if (isBlankEnd) this.#end.start();
  }

  /** @param mayEnd the connection is about to close */
  received(frame: SpeechFrame, mayEnd: boolean): void {
    if (this.overAt && this.#isDoubtful && this.#traits.isMulti) return;
    if (frame.base64 !== null) this.#hear(frame);
    if (frame.isFinal) this.#final(mayEnd);
  }

  #flush(): void {
    this.#joints?.cut();
    this.#chars = 0;
    this.#unflushed = null;
    if (!this.#traits.isMulti && this.hasText) this.#end.start();
    if (!this.#isSpeakable) return;
    this.#isSpeakable = false;
    this.#flushedAt = this.now;
    this.#answer.start();
  }

  #endInput(isClose: boolean): void {
    const isDropped = isClose && this.#traits.address?.isAuto === false && !this.hasAudio;
    if (isDropped && this.#isBehindText) {
      const message = `expected a flush before it, got ${this.#chars} characters without one`;
      this.report('close-drops-text', message, { field: 'close_context', related: this.#unflushed });
    }
    if (!isClose) this.#flush();
    this.#end.clear();
    this.endedAt = this.now;
    this.#answer.start();
  }

  #hear(frame: SpeechFrame): void {
    if (this.overAt) {
      this.once('audio-after-final', 'expected no more audio, got some', { related: this.overAt });
      return;
    }
    if (!this.hasText) this.once('speech-unasked', 'expected text before it, got none');
    this.hasAudio = true;
    // All text may be spoken.
    this.#isSpeakable = false;
    this.#audio.add(frame);
    if (this.endedAt) this.#answer.start();
    else this.#answer.clear();
    // The speech of a flush goes on.
    if (!this.endedAt && !this.#traits.isMulti && !this.#unflushed) this.#end.start();
  }

  #final(mayEnd: boolean): void {
    const report = (id: ElevenLabsRuleId, message: string, related: LintMoment | null) =>
      this.report(id, message, { field: 'isFinal', related });
    if (this.overAt) report('final-twice', 'expected it once, got it again', this.overAt);
    else if (this.hasAudio) {
      this.#audio.end();
      if (!this.endedAt && !mayEnd) report('final-unasked', 'expected an end of the input, got none', null);
    } else if (this.#flushedAt && !mayEnd) {
      report('final-without-audio', 'expected audio before it, got none', this.#flushedAt);
    }
    this.overAt = this.now;
    this.rest();
  }
}

/** Rules of the audio of one turn and of the times of its characters. */
class TurnAudio extends Check<ElevenLabsRuleId> {
  /** A dictionary makes the written alignment begin again. */
  hasDictionary = false;
  /** Null where the sums of bytes and of times cannot be compared. */
  #bytesPerMs: number | null;
  #bytes = 0;
  #alignedMs = 0;
  /** Of the last message with both alignments. */
  #texts: MessageTexts | null = null;

  constructor(world: CheckWorld<ElevenLabsRuleId>, id: string | null, traits: AddressTraits | null) {
    super(world, id);
    // With all messages aligned, the start of their times is not documented.
    this.#bytesPerMs = traits?.isSynced === false ? traits.bytesPerMs : null;
  }

  add({ bytes, written, normalized, problems }: SpeechFrame): void {
    if (written && !this.hasDictionary) this.#checkOrder('alignment', written);
    if (normalized) this.#checkOrder('normalizedAlignment', normalized);
    const texts = messageTextsOf(written, normalized);
    if (this.#texts && texts && beginsAgain(this.#texts, texts)) {
      const message = 'expected the text behind that of the message before, got it again';
      this.report('alignment-again', message, 'alignment.chars');
    }
    this.#texts = texts ?? this.#texts;
    const { charStartTimesMs: starts, charDurationsMs: durations } = normalized ?? written ?? EMPTY;
    this.#alignedMs += (starts.at(-1) ?? 0) + (durations.at(-1) ?? 0);
    this.#bytes += bytes ?? 0;
    if (bytes === null || problems.length > 0 || this.#alignedMs === 0) this.#bytesPerMs = null;
  }

  end(): void {
    if (this.#bytesPerMs === null || this.hasDictionary) return;
    const heardMs = Math.round(this.#bytes / this.#bytesPerMs);
    if (Math.abs(heardMs - this.#alignedMs) <= Math.max(TOLERATED_MS, heardMs * TOLERATED_SHARE)) return;
    const message = `expected characters for ${heardMs} ms of audio, got ${Math.round(this.#alignedMs)} ms`;
    this.report('alignment-audio', message);
  }

  #checkOrder(name: string, { charStartTimesMs: starts }: Alignment): void {
    const wrong = starts.findIndex((start, index) => start < (starts[index - 1] ?? 0));
    if (wrong < 0) return;
    const message = `expected at least ${starts[wrong - 1]}, got ${starts[wrong]}`;
    this.report('alignment-backwards', message, `${name}.charStartTimesMs.${wrong}`);
  }
}

const EMPTY: Alignment = { chars: [], charStartTimesMs: [], charDurationsMs: [] };

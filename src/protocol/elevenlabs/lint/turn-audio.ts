import type { LintMoment } from '../../core/rule.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { beginsAgain, type MessageTexts, messageTextsOf } from '../wire/segments.ts';
import type { Alignment } from '../wire/server-frames.ts';
import type { AddressTraits } from './address.ts';
import type { ElevenLabsRuleId } from './rules.ts';
import type { SpeechFrame } from './server.ts';

/** The sums of recordings agree within 1 ms a segment (`facts-elevenlabs 4.3.3`). Other authors saw more. */
const TOLERATED_MS = 100;
const TOLERATED_SHARE = 0.05;

/** Rules of the audio of one turn and of the times of its characters. */
export class TurnAudio {
  /** A dictionary makes the written alignment start again (`facts-elevenlabs 4.3.6`). */
  hasDictionary = false;
  readonly #report: ReportFinding<ElevenLabsRuleId>;
  /** Null where the sums of bytes and of times cannot be compared. */
  #bytesPerMs: number | null;
  #bytes = 0;
  #alignedMs = 0;
  /** Of the last message with both alignments. */
  #texts: MessageTexts | null = null;

  constructor(report: ReportFinding<ElevenLabsRuleId>, traits: AddressTraits | null) {
    this.#report = report;
    // With all messages aligned, the start of their times is not documented.
    this.#bytesPerMs = traits?.isSynced === false ? traits.bytesPerMs : null;
  }

  add({ bytes, written, normalized, problems }: SpeechFrame, at: LintMoment): void {
    if (written && !this.hasDictionary) this.#checkOrder('alignment', written, at);
    if (normalized) this.#checkOrder('normalizedAlignment', normalized, at);
    const texts = messageTextsOf(written, normalized);
    if (this.#texts && texts && beginsAgain(this.#texts, texts)) {
      const message = 'expected the text behind that of the message before, got it again';
      this.#report('alignment-again', at, message, { field: 'alignment.chars' });
    }
    this.#texts = texts ?? this.#texts;
    const { charStartTimesMs: starts, charDurationsMs: durations } = normalized ?? written ?? EMPTY;
    this.#alignedMs += (starts.at(-1) ?? 0) + (durations.at(-1) ?? 0);
    this.#bytes += bytes ?? 0;
    if (bytes === null || problems.length > 0 || this.#alignedMs === 0) this.#bytesPerMs = null;
  }

  end(at: LintMoment): void {
    if (this.#bytesPerMs === null || this.hasDictionary) return;
    const heardMs = Math.round(this.#bytes / this.#bytesPerMs);
    if (Math.abs(heardMs - this.#alignedMs) <= Math.max(TOLERATED_MS, heardMs * TOLERATED_SHARE)) return;
    const message = `expected characters for ${heardMs} ms of audio, got ${Math.round(this.#alignedMs)} ms`;
    this.#report('alignment-audio', at, message);
  }

  #checkOrder(name: string, { charStartTimesMs: starts }: Alignment, at: LintMoment): void {
    const wrong = starts.findIndex((start, index) => start < (starts[index - 1] ?? 0));
    if (wrong < 0) return;
    const message = `expected at least ${starts[wrong - 1]}, got ${starts[wrong]}`;
    this.#report('alignment-backwards', at, message, `${name}.charStartTimesMs.${wrong}`);
  }
}

const EMPTY: Alignment = { chars: [], charStartTimesMs: [], charDurationsMs: [] };

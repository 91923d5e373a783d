import type { LintMoment } from '../../core/rule.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import type { Alignment } from '../wire/server-frames.ts';
import type { AddressTraits } from './address.ts';
import type { ElevenLabsRuleId } from './rules.ts';
import type { SpeechFrame } from './server.ts';

/** The sums of recordings agree within 1 ms a segment (`facts-elevenlabs 4.3.3`). Other authors saw more. */
const TOLERATED_MS = 100;
const TOLERATED_SHARE = 0.05;

/** Rules of the audio of one turn and of the times of its characters. */
export class TurnAudio {
  readonly #report: ReportFinding<ElevenLabsRuleId>;
  readonly #traits: AddressTraits | null;
  #bytes = 0;
  #alignedMs = 0;
  #isAligned = false;
  /** A part of it cannot be counted. */
  #isUnknown: boolean;
  /** A dictionary makes the written alignment start again (`facts-elevenlabs 4.3.6`). */
  hasDictionary = false;

  constructor(report: ReportFinding<ElevenLabsRuleId>, traits: AddressTraits | null) {
    this.#report = report;
    this.#traits = traits;
    this.#isUnknown = traits?.isSynced !== false || traits.sampleBytes === null;
  }

  add({ bytes, written, normalized, isDamaged }: SpeechFrame, at: LintMoment): void {
    this.#bytes += bytes ?? 0;
    if (written && !this.hasDictionary) this.#checkOrder('alignment', written, at);
    if (normalized) this.#checkOrder('normalizedAlignment', normalized, at);
    const alignment = normalized ?? written;
    const last = (alignment?.chars.length ?? 0) - 1;
    if (alignment) {
      this.#isAligned = true;
      this.#alignedMs += (alignment.charStartTimesMs[last] ?? 0) + (alignment.charDurationsMs[last] ?? 0);
    }
    this.#isUnknown ||= isDamaged || !this.#isAligned;
  }

  end(at: LintMoment): void {
    const { sampleBytes, sampleRate } = this.#traits ?? {};
    if (this.#isUnknown || !sampleBytes || !sampleRate) return;
    if (this.#bytes % sampleBytes !== 0) {
      this.#report('odd-bytes', at, `expected whole samples, got ${this.#bytes} bytes`);
    }
    const heardMs = (this.#bytes / sampleBytes / sampleRate) * 1000;
    const difference = Math.abs(heardMs - this.#alignedMs);
    if (this.hasDictionary || difference <= Math.max(TOLERATED_MS, heardMs * TOLERATED_SHARE)) return;
    const message = `expected ${Math.round(heardMs)} ms, the length of the audio, got ${Math.round(this.#alignedMs)} ms of characters`;
    this.#report('alignment-audio', at, message);
  }

  #checkOrder(name: string, { charStartTimesMs: starts }: Alignment, at: LintMoment): void {
    const wrong = starts.findIndex((start, index) => start < (starts[index - 1] ?? 0));
    if (wrong < 0) return;
    const path = `${name}.charStartTimesMs.${wrong}`;
    this.#report(
      'alignment-backwards',
      at,
      `expected at least ${starts[wrong - 1]}, got ${starts[wrong]}`,
      path,
    );
  }
}

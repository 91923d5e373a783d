import type { LintMoment } from '../../core/rule.ts';
import type { Findings } from '../../lint/findings.ts';
import { SAMPLE_RATE } from '../wire/limits.ts';
import type { RealtimeFrame } from '../wire/server-frames.ts';
import type { MurmrRuleId } from './rules.ts';

const SAMPLE_BYTES = 2;

/** Rules of the sums of a generation: the received audio against the figures of `done`. */
export class GenerationSums {
  readonly #findings: Findings<MurmrRuleId>;
  #frames = 0;
  #bytes = 0;
  /** Part of it was unreadable, so its sums are unknown. */
  #isIncomplete = false;

  constructor(findings: Findings<MurmrRuleId>) {
    this.#findings = findings;
  }

  audio(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  lose(): void {
    this.#isIncomplete = true;
  }

  done({ total_chunks: total, duration_ms: durationMs }: RealtimeFrame<'done'>, at: LintMoment): void {
    const heardMs = (this.#bytes / SAMPLE_BYTES / SAMPLE_RATE) * 1000;
    const { report } = this.#findings;
    if (!this.#isIncomplete) {
      if (typeof total === 'number' && total !== this.#frames) {
        const message = `expected ${this.#frames}, which is what came, got ${total}`;
        report('total-chunks', at, message, 'total_chunks');
      } else if (typeof durationMs === 'number' && Math.abs(durationMs - heardMs) > 1) {
        const message = `expected ${Math.round(heardMs)}, the length of what came, got ${durationMs}`;
        report('duration-differs', at, message, 'duration_ms');
      }
      if (this.#bytes % SAMPLE_BYTES !== 0) {
        report('odd-bytes', at, `expected whole samples, got ${this.#bytes} bytes`);
      }
    }
    this.#frames = 0;
    this.#bytes = 0;
    this.#isIncomplete = false;
  }
}

import type { LintMoment } from '../../core/rule.ts';
import type { z } from '../../core/zod.ts';
import type { Findings } from '../../lint/findings.ts';
import * as frames from '../wire/server-frames.ts';
import type { MurmrRuleId } from './rules.ts';

const SAMPLE_BYTES = 2;

/** Rules of the sums of a generation: what came of it against what `done` tells. */
export class GenerationSums {
  readonly #findings: Findings<MurmrRuleId>;
  #frames = 0;
  #bytes = 0;
  /** Some of it could not be read, so that nothing is counted. */
  #isIncomplete = false;

  constructor(findings: Findings<MurmrRuleId>) {
    this.#findings = findings;
  }

  audio(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  /** Something of it cannot be read. */
  lose(): void {
    this.#isIncomplete = true;
  }

  done(
    { total_chunks: total, duration_ms: durationMs }: z.output<typeof frames.doneFrame>,
    at: LintMoment,
  ): void {
    const heardMs = (this.#bytes / SAMPLE_BYTES / frames.SAMPLE_RATE) * 1000;
    if (!this.#isIncomplete) {
      if (typeof total === 'number' && total !== this.#frames) {
        this.#findings.report(
          'total-chunks',
          at,
          `total_chunks: expected ${this.#frames}, which is what came, got ${total}`,
          { path: 'total_chunks' },
        );
      } else if (typeof durationMs === 'number' && Math.abs(durationMs - heardMs) > 1) {
        this.#findings.report(
          'duration-differs',
          at,
          `duration_ms: expected ${Math.round(heardMs)}, the length of what came, got ${durationMs}`,
          { path: 'duration_ms' },
        );
      }
      if (this.#bytes % SAMPLE_BYTES !== 0) {
        this.#findings.report('odd-bytes', at, `expected whole samples, got ${this.#bytes} bytes`);
      }
    }
    this.#frames = 0;
    this.#bytes = 0;
    this.#isIncomplete = false;
  }
}

import { CLAUSE_MARKS, SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import type { Reporter } from '../../lint/check.ts';
import type { RealtimeFrame } from '../wire/server-frames.ts';
import { SAMPLE_RATE } from '../wire/settings.ts';
import type { MurmrRuleId } from './rules.ts';

const SAMPLE_BYTES = 2;

/** Rules of the sums of a generation: the received audio against the figures of `done`. */
export class GenerationSums {
  readonly #check: Reporter<MurmrRuleId>;
  #frames = 0;
  #bytes = 0;
  /** Part of it was unreadable, so its sums are unknown. */
  #isIncomplete = false;

  constructor(check: Reporter<MurmrRuleId>) {
    this.#check = check;
  }

  audio(bytes: number): void {
    this.#frames += 1;
    this.#bytes += bytes;
  }

  lose(): void {
    this.#isIncomplete = true;
  }

  done({ total_chunks: total, duration_ms: durationMs }: RealtimeFrame<'done'>): void {
    const heardMs = (this.#bytes / SAMPLE_BYTES / SAMPLE_RATE) * 1000;
    if (!this.#isIncomplete) {
      if (typeof total === 'number' && total !== this.#frames) {
        const message = `expected ${this.#frames}, as received, got ${total}`;
        this.#check.report('total-chunks', message, 'total_chunks');
      } else if (typeof durationMs === 'number' && Math.abs(durationMs - heardMs) > 1) {
        const message = `expected ${Math.round(heardMs)}, the length of the received audio, got ${durationMs}`;
        this.#check.report('duration-differs', message, 'duration_ms');
      }
      if (this.#bytes % SAMPLE_BYTES !== 0) {
        this.#check.report('odd-bytes', `expected whole samples, got ${this.#bytes} bytes`);
      }
    }
    this.#frames = 0;
    this.#bytes = 0;
    this.#isIncomplete = false;
  }
}

/** Shorter text needs a flush. From `FORCED_CHARS` on the server cuts without a boundary (murmr-text-6, murmr-text-3). */
const BOUNDARY_FROM_CHARS = 50;
const FORCED_CHARS = 200;

/** A mark at the end of a text counts, because white space may follow in the next text. */
const BOUNDARY = new RegExp(`[.!?${CLAUSE_MARKS}](?=\\s|$)|(?![.!?])[${SENTENCE_MARKS}]|[，；：、､]`, 'gu');

/**
 * An upper bound for the generations of a connection's text. The exact cuts depend on the timing of the text
 * (murmr-text-7). Certain are only cuts at marks, at the maximum length and at flushes.
 */
export class SpokenBound {
  /** Generations of flushed text. */
  #possible = 0;
  #done = 0;
  /** Since the last flush. */
  #chars = 0;
  #marks = 0;
  #hasText = false;

  text(text: string): void {
    this.#chars += text.length;
    this.#marks += text.match(BOUNDARY)?.length ?? 0;
    if (text.trim() !== '') this.#hasText = true;
  }

  flush(): void {
    this.#possible += this.#cuts() + (this.#hasText ? 1 : 0);
    this.#hasText = false;
    this.#chars = 0;
    this.#marks = 0;
  }

  done(): void {
    this.#done += 1;
  }

  get isSpoken(): boolean {
    return this.#done >= this.#possible + this.#cuts();
  }

  #cuts(): number {
    if (this.#chars < BOUNDARY_FROM_CHARS) return 0;
    // A forced cut may be far back, at the last white space. The rest then has none, so two cuts empty the buffer.
    return this.#marks + 2 * Math.floor(this.#chars / FORCED_CHARS);
  }
}

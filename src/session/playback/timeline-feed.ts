import type { Publisher } from '../publisher.ts';
import type { Turn } from '../turns/turn.ts';
import { type EnvelopePart, Envelopes, type Samples } from './envelopes.ts';

/** Figures that change by less are not worth a mark. */
const LEAST_DRIFT_MS = 0.1;

/** Feeds the timeline with envelopes, prebuffer targets and the drift of the clocks, which no turn view holds. */
export class TimelineFeed {
  readonly #publisher: Publisher;
  readonly #envelopes = new Envelopes();
  readonly #targets = new Map<string, number>();
  #driftMs: number | null = null;

  constructor(publisher: Publisher) {
    this.#publisher = publisher;
  }

  received(turn: Turn, samples: Samples | undefined, targetMs: number, atMs: number): void {
    if (samples) {
      this.#envelopes.received(turn.id, samples);
      this.#publisher.changed('envelopes');
    }
    if (this.#targets.get(turn.context) === targetMs) return;
    this.#targets.set(turn.context, targetMs);
    this.#publisher.mark('prebufferTarget', atMs, { context: turn.context, amount: targetMs });
  }

  ended(turn: Turn): void {
    this.#envelopes.ended(turn.id);
  }

  /** @param driftMs of the audio clock; null while it is unknown, as at the beginning of each output */
  drifted(driftMs: number | null, atMs: number): void {
    if (driftMs !== null && this.#driftMs !== null && Math.abs(driftMs - this.#driftMs) < LEAST_DRIFT_MS)
      return;
    this.#driftMs = driftMs;
    if (driftMs !== null) this.#publisher.mark('drift', atMs, { amount: driftMs });
  }

  takeEnvelopes(): readonly EnvelopePart[] {
    return this.#envelopes.take();
  }
}

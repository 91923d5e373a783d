import type { Marks } from '../turns/marks.ts';
import type { Turn } from '../turns/turn.ts';
import { type EnvelopePart, Envelopes, type Samples } from './envelopes.ts';

/** Figures that change by less are not worth a mark. */
const LEAST_DRIFT_MS = 0.1;

/** What the timeline shows besides what the turns say: how loud they are, the start floor, and how the clocks drift. */
export class TimelineFeed {
  readonly #marks: Marks;
  readonly #changed: () => void;
  readonly #envelopes = new Envelopes();
  readonly #floors = new Map<string, number>();
  #driftMs: number | null = null;
  #isConnected = false;

  /** @param changed there is a new part of an envelope */
  constructor(marks: Marks, changed: () => void) {
    this.#marks = marks;
    this.#changed = changed;
  }

  /** An audio frame of a turn was taken in. */
  received(turn: Turn, samples: Samples | undefined, floorMs: number, atMs: number): void {
    if (samples) {
      this.#envelopes.received(turn.id, samples);
      this.#changed();
    }
    if (this.#floors.get(turn.context) === floorMs) return;
    this.#floors.set(turn.context, floorMs);
    this.#marks.add('floor', atMs, { context: turn.context, amount: floorMs });
  }

  /** No more audio of the turn is expected. */
  ended(turn: Turn): void {
    this.#envelopes.ended(turn.id);
  }

  /** There is a connection from now on, or none any more. */
  connected(isConnected: boolean, atMs: number): void {
    if (isConnected === this.#isConnected) return;
    this.#isConnected = isConnected;
    this.#marks.add(isConnected ? 'connected' : 'disconnected', atMs);
  }

  /** @param driftMs of the audio clock; null while it is unknown, as at the beginning of each output */
  drifted(driftMs: number | null, atMs: number): void {
    if (driftMs !== null && this.#driftMs !== null && Math.abs(driftMs - this.#driftMs) < LEAST_DRIFT_MS)
      return;
    this.#driftMs = driftMs;
    if (driftMs !== null) this.#marks.add('drift', atMs, { amount: driftMs });
  }

  takeEnvelopes(): readonly EnvelopePart[] {
    return this.#envelopes.take();
  }
}

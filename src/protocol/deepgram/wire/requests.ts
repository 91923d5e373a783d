import type { FluxWarning } from './errors.ts';

export interface Request<T> {
  /** Otherwise a Flush that may find no turn. */
  isInterrupt: boolean;
  /** The turn that is meant, if known. */
  turn?: T | undefined;
}

/** Limits what is remembered, because a recording has no end. */
const MAX_WAITING = 64;
const REFUSALS: ReadonlySet<string | null> = new Set<FluxWarning>([
  'NO_AUDIO_GENERATED',
  'INVALID_INTERRUPT_OFFSET',
]);

/**
 * The requests that `/v2/speak` answers at once, in the order in which they were sent. `NO_ACTIVE_SPEECH` answers a Flush as
 * well as an Interrupt.
 */
export class Requests<R extends Request<unknown>> {
  #waiting: R[] = [];

  /** The Interrupts without an answer. */
  get interrupts(): readonly R[] {
    return this.#waiting.filter(({ isInterrupt }) => isInterrupt);
  }

  /** A Flush of a turn waits only behind an Interrupt, which may end the turn before. */
  sent(request: R): void {
    const { isInterrupt, turn } = request;
    if (isInterrupt || !turn || this.interrupts.length > 0)
      this.#waiting = [...this.#waiting, request].slice(-MAX_WAITING);
  }

  /** Only these turns are without an end, so no warning answers the Flush of another. */
  keep(turns: readonly unknown[]): void {
    this.#waiting = this.#waiting.filter(
      ({ isInterrupt, turn }) => isInterrupt || turn === undefined || turns.includes(turn),
    );
  }

  /** The request that `SpeechInterrupted` (null) or a warning answers, if any. */
  answered(code: string | null): R | undefined {
    if (code === ('NO_ACTIVE_SPEECH' satisfies FluxWarning)) return this.#waiting.shift();
    const isLast = code === ('INTERRUPT_IN_PROGRESS' satisfies FluxWarning);
    const request = this.interrupts.at(isLast ? -1 : 0);
    if (!request || !(isLast || code === null || REFUSALS.has(code))) return undefined;
    const place = this.#waiting.indexOf(request);
    this.#waiting.splice(isLast ? place : 0, isLast ? 1 : place + 1);
    // A refused Interrupt left its turn to the Flush behind it.
    const [next] = this.#waiting;
    if (code !== null && !isLast && next && !next.isInterrupt && !next.turn) this.#waiting.shift();
    return request;
  }
}

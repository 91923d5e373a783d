import type { SessionEnvironment } from '../environment.ts';

/** The server confirms a cancel in a round trip; text held back for longer would look like a hang. */
export const INTERRUPT_WAIT_MS = 2000;

/** Cancels that went out and are not confirmed yet. Until then the text of what comes next is held back. */
export class Interrupts {
  readonly #environment: SessionEnvironment;
  readonly #overdue: (context: string | null) => void;
  /** By context; null is for a cancel of all of them. */
  readonly #waits = new Map<string | null, () => void>();

  /** @param overdue is told of a cancel that was not confirmed in time */
  constructor(environment: SessionEnvironment, overdue: (context: string | null) => void) {
    this.#environment = environment;
    this.#overdue = overdue;
  }

  isAwaited(context: string): boolean {
    return this.#waits.has(context) || this.#waits.has(null);
  }

  wait(context: string | null): void {
    this.#waits.get(context)?.();
    const callOff = this.#environment.after(INTERRUPT_WAIT_MS, () => {
      this.#waits.delete(context);
      this.#overdue(context);
    });
    this.#waits.set(context, callOff);
  }

  /** Stops waiting where there is nothing left to wait for. */
  settle(isStillAwaited: (context: string | null) => boolean): void {
    for (const [context, callOff] of this.#waits) {
      if (isStillAwaited(context)) continue;
      callOff();
      this.#waits.delete(context);
    }
  }
}

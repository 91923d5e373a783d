import type { Environment } from './environment.ts';

/** One animation frame of a 60 Hz screen: more updates than that are painted by nobody. */
const MIN_INTERVAL_MS = 16;

/** Calls `publish` soon after the first change, and never more often than once per animation frame. Idle without changes. */
export class Publisher {
  readonly #environment: Environment;
  readonly #publish: () => void;
  #lastMs = Number.NEGATIVE_INFINITY;
  #pending = false;

  constructor(environment: Environment, publish: () => void) {
    this.#environment = environment;
    this.#publish = publish;
  }

  changed(): void {
    if (this.#pending) return;
    this.#pending = true;
    const waitMs = Math.max(0, this.#lastMs + MIN_INTERVAL_MS - this.#environment.nowMs());
    this.#environment.after(waitMs, () => {
      this.#pending = false;
      this.#lastMs = this.#environment.nowMs();
      this.#publish();
    });
  }
}

import type { SessionEnvironment } from './environment.ts';
import type { Turn } from './turns/turn.ts';
import type { SessionUpdate } from './views.ts';

/** One animation frame of a 60 Hz screen: more updates than that are painted by nobody. */
const MIN_INTERVAL_MS = 16;

/** Where each part of an update is read when it has changed. */
export type Views = { [P in Exclude<keyof SessionUpdate, 'turns'>]-?: () => SessionUpdate[P] };

/** Reports what has changed, soon after the first change and never more often than once per animation frame. */
export class Publisher {
  readonly #environment: SessionEnvironment;
  readonly #views: Views;
  readonly #report: (update: SessionUpdate) => void;
  readonly #parts = new Set<keyof Views>();
  readonly #turns = new Set<Turn>();
  #lastMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  constructor(environment: SessionEnvironment, views: Views, report: (update: SessionUpdate) => void) {
    this.#environment = environment;
    this.#views = views;
    this.#report = report;
  }

  changed(part: keyof Views): void {
    this.#parts.add(part);
    this.#publishSoon();
  }

  turnChanged(turn: Turn): void {
    this.#turns.add(turn);
    this.#publishSoon();
  }

  #publishSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const waitMs = Math.max(0, this.#lastMs + MIN_INTERVAL_MS - this.#environment.nowMs());
    this.#environment.after(waitMs, () => {
      this.#isWaiting = false;
      this.#lastMs = this.#environment.nowMs();
      this.#publish();
    });
  }

  #publish(): void {
    const parts = [...this.#parts].flatMap((part) => {
      const view = this.#views[part]();
      return view === undefined ? [] : [[part, view] as const];
    });
    const turns = [...this.#turns].map((turn) => turn.view());
    this.#parts.clear();
    this.#turns.clear();
    this.#report({ ...Object.fromEntries(parts), ...(turns.length > 0 ? { turns } : {}) });
  }
}

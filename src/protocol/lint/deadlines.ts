export const SECOND_US = 1_000_000;

/** A moment at which a rule reports, unless the deadline is moved or cleared before. */
export class Deadline {
  readonly #owner: Deadlines;
  readonly #run: (dueUs: number) => void;
  dueUs = Number.POSITIVE_INFINITY;

  constructor(owner: Deadlines, run: (dueUs: number) => void) {
    this.#owner = owner;
    this.#run = run;
  }

  set(dueUs: number): void {
    this.dueUs = dueUs;
    this.#owner.arm(this);
  }

  clear(): void {
    this.#owner.disarm(this);
  }

  run(): void {
    const { dueUs } = this;
    this.clear();
    this.#run(dueUs);
  }
}

/**
 * Deadlines on an explicit clock. They run in the order of their due times, so findings do not depend on how often the
 * clock advances.
 */
export class Deadlines {
  readonly #armed = new Set<Deadline>();
  /** A lower bound of all due times; infinite without deadlines. */
  earliestUs = Number.POSITIVE_INFINITY;

  create(run: (dueUs: number) => void): Deadline {
    return new Deadline(this, run);
  }

  arm(deadline: Deadline): void {
    this.#armed.add(deadline);
    this.earliestUs = Math.min(this.earliestUs, deadline.dueUs);
  }

  disarm(deadline: Deadline): void {
    this.#armed.delete(deadline);
    if (this.#armed.size === 0) this.earliestUs = Number.POSITIVE_INFINITY;
  }

  /** Runs the deadlines before `atUs`. An event at exactly the due time is still in time. */
  runUntil(atUs: number): void {
    while (this.earliestUs < atUs) {
      let next: Deadline | undefined;
      for (const deadline of this.#armed) if (!next || deadline.dueUs < next.dueUs) next = deadline;
      this.earliestUs = next?.dueUs ?? Number.POSITIVE_INFINITY;
      if (next && next.dueUs < atUs) next.run();
    }
  }
}

/** A moment at which something is found, unless it is moved or cleared before. */
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
 * Deadlines without timers: they are looked at when time is told to have passed, and run in the order in which they fell
 * due. So what is found does not depend on how often somebody looks.
 */
export class Deadlines {
  readonly #armed = new Set<Deadline>();
  /** Nothing falls due before this. May be too early, never too late. */
  #earliestUs = Number.POSITIVE_INFINITY;

  /** Nothing falls due before this; infinite where nothing is waited for. */
  get earliestUs(): number {
    return this.#earliestUs;
  }

  create(run: (dueUs: number) => void): Deadline {
    return new Deadline(this, run);
  }

  arm(deadline: Deadline): void {
    this.#armed.add(deadline);
    this.#earliestUs = Math.min(this.#earliestUs, deadline.dueUs);
  }

  disarm(deadline: Deadline): void {
    this.#armed.delete(deadline);
    if (this.#armed.size === 0) this.#earliestUs = Number.POSITIVE_INFINITY;
  }

  /** Runs all that fell due before `atUs`: what happens at that very moment is still in time. */
  runUntil(atUs: number): void {
    while (this.#earliestUs < atUs) {
      let next: Deadline | undefined;
      for (const deadline of this.#armed) if (!next || deadline.dueUs < next.dueUs) next = deadline;
      this.#earliestUs = next?.dueUs ?? Number.POSITIVE_INFINITY;
      if (next && next.dueUs < atUs) next.run();
    }
  }
}

import { type LintMoment, momentOf } from '../core/rule.ts';

export const SECOND_US = 1_000_000;

/** A moment at which a rule reports, unless the deadline is started again or cleared before. */
export class Deadline {
  readonly #clock: LintClock;
  readonly #afterUs: number;
  readonly #missed: (time: string) => void;
  #waitedUs = 0;
  dueUs = Number.POSITIVE_INFINITY;

  constructor(clock: LintClock, afterUs: number, missed: (time: string) => void) {
    this.#clock = clock;
    this.#afterUs = afterUs;
    this.#missed = missed;
  }

  /** @param afterUs from the current frame on */
  start(afterUs = this.#afterUs): void {
    this.#waitedUs = afterUs;
    this.dueUs = this.#clock.now.atUs + afterUs;
    this.#clock.arm(this);
  }

  clear(): void {
    this.#clock.disarm(this);
  }

  run(): void {
    this.clear();
    this.#missed(`${this.#waitedUs / SECOND_US} s`);
  }
}

/**
 * The explicit clock of one connection. Deadlines run in the order of their due times, so findings do not depend on how
 * often the clock advances.
 */
export class LintClock {
  /** The current frame; within a deadline, the frame before it. */
  now: LintMoment;
  /** The time of the current frame or deadline. */
  atUs: number;
  /** A lower bound of all due times; infinite without deadlines. */
  earliestUs = Number.POSITIVE_INFINITY;
  readonly #armed = new Set<Deadline>();

  constructor(first: LintMoment) {
    this.now = momentOf(first);
    this.atUs = first.atUs;
  }

  /** A frame or the close of the connection is checked from now on. */
  pass(moment: LintMoment): void {
    this.now = momentOf(moment);
    this.atUs = moment.atUs;
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
      if (!next || next.dueUs >= atUs) continue;
      this.atUs = next.dueUs;
      next.run();
    }
  }
}

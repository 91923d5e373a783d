import type { Clock } from '#lib/clock.ts';

/** Longest time that first audio is delayed. */
const MAX_HOLD_MS = 100;

/** A turn without audio yet, as its barrier sees it. */
export interface StartingTurn {
  /** Announces first audio. Resolves when it may be sent. */
  ready(): Promise<void>;
  /** Leaves the group without audio. */
  leave(): void;
}

interface Group {
  /** Turns without audio yet. */
  waiting: number;
  /** Turns whose first audio is delayed. */
  held: (() => void)[];
  isOff: boolean;
  stopTimer: () => void;
}

/**
 * Aligns the first audio of contexts of one connection that begin together. A few engine threads serve all of them, so
 * the last of twenty would start many times later than the first. The first audio of a group is delayed until half
 * of the group has audio, so the slowest waits about twice as long as the fastest. A context that begins alone, with one
 * other, or while others speak is not delayed.
 */
export class StartBarrier {
  readonly #clock: Clock;
  #group: Group | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(): StartingTurn {
    const group = this.#group ?? { waiting: 0, held: [], isOff: false, stopTimer: () => {} };
    this.#group = group;
    group.waiting += 1;
    let isWaiting = true;
    const leave = (): void => {
      if (!isWaiting) return;
      isWaiting = false;
      group.waiting -= 1;
      this.#startIfDue(group);
    };
    return {
      leave,
      ready: () => {
        if (group.isOff || !isWaiting) {
          leave();
          return Promise.resolve();
        }
        return new Promise((resolve) => {
          if (group.held.length === 0) {
            group.stopTimer = this.#clock.after(MAX_HOLD_MS, () => this.#start(group));
          }
          group.held.push(resolve);
          leave();
        });
      },
    };
  }

  #startIfDue(group: Group): void {
    if (group.held.length >= group.waiting) this.#start(group);
  }

  #start(group: Group): void {
    group.isOff = true;
    group.stopTimer();
    if (this.#group === group) this.#group = null;
    for (const begin of group.held) begin();
    group.held = [];
  }
}

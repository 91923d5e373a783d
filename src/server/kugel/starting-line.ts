import type { Clock } from '#lib/clock.ts';

/** Nobody is held for longer, whatever the others do. */
const MAX_HOLD_MS = 100;

/** A turn on its way to its first audio. */
export interface Starter {
  /** Its first audio is there; resolves when it may go out. */
  ready(): Promise<void>;
  /** It comes to nothing. */
  leave(): void;
}

interface Group {
  /** Without audio yet. */
  waiting: number;
  /** With audio, and held. */
  held: (() => void)[];
  isOff: boolean;
  stopTimer: () => void;
}

/**
 * Lets the contexts of one connection that begin together be heard together. A few threads speak for all of them, so
 * the last of twenty has its first audio many times later than the first, and a choir would start as a queue. So the
 * first audio of a group is held until half of it have theirs: then the slowest is some two times behind the fastest.
 * A context that begins alone, or with one other, waits for nobody, and so does one that begins when others speak.
 */
export class StartingLine {
  readonly #clock: Clock;
  #group: Group | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(): Starter {
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

import type { Clock } from '#lib/clock.ts';

interface Timer {
  atMs: number;
  task: () => void;
}

/** The clock of a replay, in ms of the recording: it has a speed, pauses, and can be advanced. Its timers follow it. */
export class ReplayClock {
  readonly #environment: Clock;
  #timers: Timer[] = [];
  /** The replay's time at `#sinceMs` of the wall clock. */
  #baseMs = 0;
  #sinceMs: number;
  /** Ms of the recording per ms of wall time. */
  #speed = 1;
  #isRunning = false;
  #stopWaiting = (): void => {};

  constructor(environment: Clock) {
    this.#environment = environment;
    this.#sinceMs = environment.nowMs();
  }

  nowMs(): number {
    if (!this.#isRunning) return this.#baseMs;
    return this.#baseMs + (this.#environment.nowMs() - this.#sinceMs) * this.#speed;
  }

  run(isRunning: boolean): void {
    this.#rebase();
    this.#isRunning = isRunning;
    this.#wait();
  }

  setSpeed(speed: number): void {
    this.#rebase();
    this.#speed = speed;
    this.#wait();
  }

  /** Advances to that time, and runs the tasks due before it in their order. Never goes back. */
  advanceTo(ms: number): void {
    this.#rebase();
    for (;;) {
      const next = this.#next();
      if (!next || next.atMs > ms) break;
      this.#baseMs = Math.max(this.#baseMs, next.atMs);
      this.#drop(next);
      next.task();
    }
    this.#baseMs = Math.max(this.#baseMs, ms);
    this.#wait();
  }

  /** Runs a task once, after `delayMs` of the recording; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void {
    const timer = { atMs: this.nowMs() + delayMs, task };
    this.#timers.push(timer);
    this.#wait();
    return () => this.#drop(timer);
  }

  dispose(): void {
    this.#timers = [];
    this.run(false);
  }

  #rebase(): void {
    this.#baseMs = this.nowMs();
    this.#sinceMs = this.#environment.nowMs();
  }

  /** Timers that are due together run in the order in which they were set. */
  #next(): Timer | null {
    const [first] = this.#timers.toSorted((a, b) => a.atMs - b.atMs);
    return first ?? null;
  }

  #drop(timer: Timer): void {
    this.#timers = this.#timers.filter((other) => other !== timer);
  }

  #wait(): void {
    this.#stopWaiting();
    this.#stopWaiting = () => {};
    const next = this.#isRunning ? this.#next() : null;
    if (!next) return;
    const waitMs = Math.max(0, (next.atMs - this.nowMs()) / this.#speed);
    this.#stopWaiting = this.#environment.after(waitMs, () => this.#ring());
  }

  #ring(): void {
    const nowMs = this.nowMs();
    for (;;) {
      const next = this.#next();
      // A timer may fire early by a fraction of a microsecond.
      if (!next || !this.#isRunning || next.atMs > nowMs + EARLY_MS) break;
      this.#drop(next);
      next.task();
    }
    this.#wait();
  }
}

const EARLY_MS = 0.001;

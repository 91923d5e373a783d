import type { Clock } from '#lib/clock.ts';

interface Timer {
  atMs: number;
  task: () => void;
}

/**
 * The time of a replay, in ms of the recording: it runs at a speed, stands still while paused, and can be set forward.
 * What waits on it waits in its time.
 */
export class ReplayClock {
  readonly #environment: Clock;
  #timers: Timer[] = [];
  /** The replay's time at `#sinceMs` of the wall clock. */
  #baseMs = 0;
  #sinceMs: number;
  #speed = 1;
  #isRunning = false;
  #stopWaiting = (): void => {};

  constructor(environment: Clock) {
    this.#environment = environment;
    this.#sinceMs = environment.nowMs();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Ms of the recording for each ms that passes. */
  get speed(): number {
    return this.#speed;
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

  /** Goes on from there; tasks that were due before are done first, in their order. Never backwards. */
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

  /** Runs a task once, so many ms of the recording from now; the function returned calls it off. */
  after(delayMs: number, task: () => void): () => void {
    const timer = { atMs: this.nowMs() + delayMs, task };
    this.#timers.push(timer);
    this.#wait();
    return () => this.#drop(timer);
  }

  /** Nothing is done any more. */
  end(): void {
    this.#timers = [];
    this.run(false);
  }

  #rebase(): void {
    this.#baseMs = this.nowMs();
    this.#sinceMs = this.#environment.nowMs();
  }

  #next(): Timer | null {
    // Of those that are due together, the one that was set first.
    return this.#timers.reduce<Timer | null>(
      (first, timer) => (first && first.atMs <= timer.atMs ? first : timer),
      null,
    );
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
      // A timer may go off a fraction early; what is due within a microsecond is due.
      if (!next || !this.#isRunning || next.atMs > nowMs + EARLY_MS) break;
      this.#drop(next);
      next.task();
    }
    this.#wait();
  }
}

const EARLY_MS = 0.001;

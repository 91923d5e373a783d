/** Time as the protocol's rules see it, so that rules of seconds are tested in milliseconds. */
export interface Clock {
  /** Milliseconds from any fixed moment, never backwards. */
  now(): number;
  /** Runs once after that many ms, unless the returned function is called before. */
  after(delayMs: number, run: () => void): () => void;
}

export const realClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

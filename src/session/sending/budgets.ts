import type { Clock } from '#lib/clock.ts';
import type { Budget } from '#protocol/core/endpoint.ts';

/** What was sent lately on a connection, against what it may be sent. */
export class Budgets {
  readonly #clock: Clock;
  readonly #freed: () => void;
  #spent: { budget: Budget; sent: { amount: number; atMs: number }[] }[] = [];
  #callOff: (() => void) | null = null;

  /** @param freed something that had to wait may go out */
  constructor(clock: Clock, freed: () => void) {
    this.#clock = clock;
    this.#freed = freed;
  }

  /** Sets the limits of another connection. */
  limit(budgets: readonly Budget[]): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#spent = budgets.map((budget) => ({ budget, sent: [] }));
  }

  /** Returns whether as much may be sent now, and counts it as sent. What alone exceeds a limit is sent after a rest. */
  allow(of: Budget['of'], amount: number): boolean {
    const nowMs = this.#clock.nowMs();
    const own = this.#spent.filter(({ budget }) => budget.of === of);
    for (const { budget, sent } of own) {
      while (sent[0] && sent[0].atMs + budget.withinMs <= nowMs) sent.shift();
      const total = sent.reduce((sum, each) => sum + each.amount, 0);
      const [oldest] = sent;
      if (!oldest || total + amount <= budget.amount) continue;
      this.#wait(oldest.atMs + budget.withinMs - nowMs);
      return false;
    }
    for (const { sent } of own) sent.push({ amount, atMs: nowMs });
    return true;
  }

  #wait(delayMs: number): void {
    this.#callOff ??= this.#clock.after(delayMs, () => {
      this.#callOff = null;
      this.#freed();
    });
  }
}

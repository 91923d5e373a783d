import type { Clock } from '#lib/clock.ts';
import type { Budget } from '#protocol/core/endpoint.ts';

/** Counts what was sent lately on one connection, against its limits. */
export class Budgets {
  readonly #clock: Clock;
  readonly #freed: () => void;
  readonly #spent: { budget: Budget; sent: { amount: number; atMs: number }[] }[];
  /** Of these, nothing more goes out in this round, so that small items do not overtake a large one for ever. */
  readonly #refused = new Set<Budget['of']>();
  #wake: { atMs: number; callOff: () => void } | null = null;

  /** @param freed something that had to wait may go out */
  constructor(clock: Clock, budgets: readonly Budget[], freed: () => void) {
    this.#clock = clock;
    this.#spent = budgets.map((budget) => ({ budget, sent: [] }));
    this.#freed = freed;
  }

  /** The connection has ended. */
  end(): void {
    this.#wake?.callOff();
    this.#wake = null;
  }

  /** Begins another round over everything that waits. */
  anew(): void {
    this.#refused.clear();
  }

  /** Counts a message that went out. */
  count(of: Budget['of'], amount: number): void {
    const atMs = this.#clock.nowMs();
    for (const { budget, sent } of this.#spent) if (budget.of === of) sent.push({ amount, atMs });
  }

  /**
   * Returns whether as much may be sent now. More than a whole limit is allowed once nothing was sent within its time.
   */
  allow(of: Budget['of'], amount: number): boolean {
    if (this.#refused.has(of)) return false;
    const nowMs = this.#clock.nowMs();
    const own = this.#spent.filter(({ budget }) => budget.of === of);
    for (const { budget, sent } of own) {
      while (sent[0] && sent[0].atMs + budget.withinMs <= nowMs) sent.shift();
      const total = sent.reduce((sum, each) => sum + each.amount, 0);
      const [oldest] = sent;
      if (!oldest || total + amount <= budget.amount) continue;
      this.#wakeAt(oldest.atMs + budget.withinMs);
      this.#refused.add(of);
      return false;
    }
    return true;
  }

  #wakeAt(atMs: number): void {
    if (this.#wake && this.#wake.atMs <= atMs) return;
    this.#wake?.callOff();
    const callOff = this.#clock.after(Math.max(0, atMs - this.#clock.nowMs()), () => {
      this.#wake = null;
      this.#freed();
    });
    this.#wake = { atMs, callOff };
  }
}

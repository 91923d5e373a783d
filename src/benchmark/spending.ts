import { type RatesOf, secondsOf } from './estimate.ts';
import type { Plan } from './plan.ts';
import type { BenchmarkRun } from './results.ts';

/** A charged amount; `currency` is null if the server reported none. */
export interface Cost {
  cents: number;
  currency: string | null;
}

/** Consumption of all runs so far. */
export interface Spent {
  audioSeconds: number;
  characters: number;
  /** One for each currency, empty if nothing was charged; null if some charge is unknown. */
  costs: readonly Cost[] | null;
}

type Cell = Pick<BenchmarkRun, 'text' | 'configuration'>;

/** Reported consumption of one run. */
type Made = Pick<BenchmarkRun, 'audioSeconds' | 'characters' | 'costCents' | 'currency' | 'failure'>;

/** Consumption of one run; null `cost` is unknown. */
type Taken = Pick<Made, 'audioSeconds' | 'characters'> & { cost: Cost | null };

const NO_COST: Cost = { cents: 0, currency: null };

/**
 * Enforces a plan's budget by refusing a run that would exceed it. A run is expected to consume as much as the last
 * successful one of the same text and configuration, or else by the known price. Amounts of two currencies are never
 * added, so that a budget in cents also ends before a run in a second currency.
 */
export class Spending {
  readonly #plan: Plan;
  readonly #ratesOf: RatesOf;
  readonly #last = new Map<string, Taken>();
  #seconds = 0;
  #characters = 0;
  readonly #cents = new Map<string | null, number>();
  #isUnknown = false;

  constructor(plan: Plan, ratesOf: RatesOf) {
    this.#plan = plan;
    this.#ratesOf = ratesOf;
  }

  get spent(): Spent {
    return {
      audioSeconds: this.#seconds,
      characters: this.#characters,
      costs: this.#isUnknown ? null : [...this.#cents].map(([currency, cents]) => ({ cents, currency })),
    };
  }

  add(cell: Cell, { audioSeconds, characters, costCents, currency, failure }: Made): void {
    const cost = costCents === null ? this.#priceOf(cell, audioSeconds) : { cents: costCents, currency };
    const taken = { audioSeconds, characters, cost };
    if (failure === null) this.#last.set(keyOf(cell), taken);
    this.#count(taken);
  }

  /** Counts a run that timed out as a whole one, because it may have been spoken and charged to its end. */
  addCutOff(cell: Cell): void {
    this.#count(this.#expected(cell));
  }

  /** Returns why the run must not start; null if it may. */
  refusal(cell: Cell): string | null {
    const { budget } = this.#plan;
    const next = this.#expected(cell);
    if (budget.characters !== undefined && this.#characters + next.characters > budget.characters) {
      return `The next run would exceed the budget of ${budget.characters} characters.`;
    }
    if (budget.audioSeconds !== undefined && this.#seconds + next.audioSeconds > budget.audioSeconds) {
      return `The next run would exceed the budget of ${budget.audioSeconds} s of audio.`;
    }
    return budget.cents === undefined ? null : this.#centsRefusal(budget.cents, next.cost ?? NO_COST);
  }

  #centsRefusal(budgetCents: number, next: Cost): string | null {
    if (this.#isUnknown) {
      return 'The budget is in cents, and the cost of the last run is unknown: the server reported none, and no price is known.';
    }
    const [first, second] = new Set([...this.#cents.keys(), ...(next.cents > 0 ? [next.currency] : [])]);
    if (first !== undefined && second !== undefined) {
      return `The budget is in cents of one currency, and there are charges in ${nameOf(first)} and in ${nameOf(second)}, which cannot be added up.`;
    }
    const sum = [...this.#cents.values(), next.cents].reduce((a, b) => a + b, 0);
    return sum > budgetCents ? `The next run would exceed the budget of ${budgetCents} cents.` : null;
  }

  #count({ audioSeconds, characters, cost }: Taken): void {
    this.#seconds += audioSeconds;
    this.#characters += characters;
    this.#isUnknown ||= cost === null;
    if (!cost || cost.cents === 0) return;
    this.#cents.set(cost.currency, (this.#cents.get(cost.currency) ?? 0) + cost.cents);
  }

  #expected(cell: Cell): Taken {
    const last = this.#last.get(keyOf(cell));
    if (last) return last;
    const text = this.#plan.texts[cell.text]?.text ?? '';
    const configuration = this.#plan.configurations[cell.configuration];
    const audioSeconds = configuration ? secondsOf(text, this.#ratesOf(configuration)) : 0;
    return { audioSeconds, characters: text.length, cost: this.#priceOf(cell, audioSeconds) };
  }

  #priceOf(cell: Cell, audioSeconds: number): Cost | null {
    if (audioSeconds === 0) return NO_COST;
    const configuration = this.#plan.configurations[cell.configuration];
    const price = configuration ? this.#ratesOf(configuration).price : null;
    return price && { cents: price.centsPerSecond * audioSeconds, currency: price.currency };
  }
}

const nameOf = (currency: string | null): string =>
  currency?.toUpperCase() ?? 'one that the server does not name';

const keyOf = ({ text, configuration }: Cell): string => `${text} ${configuration}`;

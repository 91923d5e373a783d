import { type Knowledge, secondsOf } from './estimate.ts';
import type { Plan } from './plan.ts';

/** What one run took. */
export interface Spent {
  audioSeconds: number;
  characters: number;
  /** Null: nobody said. */
  costCents: number | null;
}

interface Cell {
  text: number;
  configuration: number;
}

type Made = Spent & { failure: string | null };

/**
 * Keeps to a plan's budget: a run that would go beyond it is not begun. What a run will take is what the last one of
 * the same text and configuration took that did not fail, and before there is one what is known of the price.
 */
export class Spending {
  readonly #plan: Plan;
  readonly #knowledge: Knowledge;
  readonly #last = new Map<string, Spent>();
  #seconds = 0;
  #characters = 0;
  #cents = 0;
  #isUnknown = false;

  constructor(plan: Plan, knowledge: Knowledge) {
    this.#plan = plan;
    this.#knowledge = knowledge;
  }

  /** So far; a cost of null: some of it is unknown. */
  get spent(): Spent {
    return {
      audioSeconds: this.#seconds,
      characters: this.#characters,
      costCents: this.#isUnknown ? null : this.#cents,
    };
  }

  add(cell: Cell, { audioSeconds, characters, costCents: told, failure }: Made): void {
    const spent = { audioSeconds, characters, costCents: told ?? this.#priceOf(cell, audioSeconds) };
    if (failure === null) this.#last.set(keyOf(cell), spent);
    this.#count(spent);
  }

  /** Nobody knows what came of the run, so it may have been spoken and charged to its end. */
  addCutOff(cell: Cell): void {
    this.#count(this.#expected(cell));
  }

  /** Why that run is not to be begun; null where it may be. */
  refusal(cell: Cell): string | null {
    const { budget } = this.#plan;
    const next = this.#expected(cell);
    if (budget.characters !== undefined && this.#characters + next.characters > budget.characters) {
      return `The next run would exceed the budget of ${budget.characters} characters.`;
    }
    if (budget.audioSeconds !== undefined && this.#seconds + next.audioSeconds > budget.audioSeconds) {
      return `The next run would exceed the budget of ${budget.audioSeconds} s of audio.`;
    }
    if (budget.cents !== undefined) {
      if (this.#isUnknown) {
        return 'The budget is in cents, and what the last run cost is unknown: the server did not tell, and no price is known.';
      }
      if (this.#cents + (next.costCents ?? 0) > budget.cents) {
        return `The next run would exceed the budget of ${budget.cents} cents.`;
      }
    }
    return null;
  }

  #count({ audioSeconds, characters, costCents }: Spent): void {
    this.#seconds += audioSeconds;
    this.#characters += characters;
    this.#cents += costCents ?? 0;
    this.#isUnknown ||= costCents === null;
  }

  #expected(cell: Cell): Spent {
    const last = this.#last.get(keyOf(cell));
    if (last) return last;
    const text = this.#plan.texts[cell.text]?.text ?? '';
    const configuration = this.#plan.configurations[cell.configuration];
    const audioSeconds = configuration ? secondsOf(text, this.#knowledge(configuration)) : 0;
    return { audioSeconds, characters: text.length, costCents: this.#priceOf(cell, audioSeconds) };
  }

  #priceOf(cell: Cell, audioSeconds: number): number | null {
    if (audioSeconds === 0) return 0;
    const configuration = this.#plan.configurations[cell.configuration];
    const price = configuration ? this.#knowledge(configuration).price : null;
    return price ? price.centsPerSecond * audioSeconds : null;
  }
}

const keyOf = ({ text, configuration }: Cell): string => `${text} ${configuration}`;

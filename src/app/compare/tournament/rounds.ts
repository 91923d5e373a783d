import type { TurnView } from '#session/views.ts';

/** Names of the two configurations of a round. They must not reveal which it is. */
export type Label = 'x' | 'y';

export type Choice = Label | 'none';

export const LABELS: readonly Label[] = ['x', 'y'];

export type ByLabel<T> = Readonly<Record<Label, T>>;

/** `x` and `y` are ids of configurations. X speaks first during the unheard preparation. */
export interface Round extends ByLabel<string> {
  text: string;
}

export interface AnsweredRound extends Round {
  choice: Choice;
  plays: ByLabel<number>;
  turns: ByLabel<TurnView | null>;
}

const MAX_TEXTS = 200;

/** Returns the texts of a typed list: one per line, without empty and repeated lines. */
export const textsOf = (typed: string): string[] =>
  [...new Set(typed.split('\n').map((line) => line.trim()))]
    .filter((line) => line !== '')
    .slice(0, MAX_TEXTS);

/** Returns the id of the configuration that a choice prefers; null for neither. */
export const preferredIn = (round: AnsweredRound): string | null =>
  round.choice === 'none' ? null : round[round.choice];

import { equalLoudnessGains } from '#lib/loudness.ts';
import type { TurnView } from '#session/views.ts';

/** Names of the two configurations of a round. They must not reveal which it is. */
export type Label = 'x' | 'y';

export type Choice = Label | 'none';

export const LABELS: readonly Label[] = ['x', 'y'];

export type ByLabel<T> = Readonly<Record<Label, T>>;

/** `x` and `y` are ids of configurations. X speaks first during the unheard preparation. */
export interface Round extends ByLabel<string> {
  text: string;
  /** Number of the text in the list, counted from 1. */
  textNumber: number;
}

export interface AnsweredRound extends Round {
  choice: Choice;
  plays: ByLabel<number>;
  turns: ByLabel<TurnView | null>;
}

const MAX_TEXTS = 200;

/** Returns the texts of a typed list: one per line, without empty lines. */
export const textsOf = (typed: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_TEXTS);

/** Returns the id of the configuration that a choice prefers; null for neither. */
export const preferredIn = (round: AnsweredRound): string | null =>
  round.choice === 'none' ? null : round[round.choice];

/** Returns gains that equalise two turns by reducing the louder one. Both are 1 for an unknown loudness. */
export function matchingGains({ x, y }: ByLabel<Pick<TurnView, 'loudness'> | null>): ByLabel<number> {
  const [gainX = 1, gainY = 1] = equalLoudnessGains([x?.loudness ?? null, y?.loudness ?? null]);
  return { x: gainX, y: gainY };
}

/** Returns the reduction by a gain, as in `3.2 dB`. */
export const reductionText = (gain: number): string => `${Math.abs(20 * Math.log10(gain)).toFixed(1)} dB`;

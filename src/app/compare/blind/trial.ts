import { pWords } from '#benchmark/wording.ts';
import { equalLoudnessGains } from '#lib/loudness.ts';
import { signTest } from '#lib/statistics/binomial.ts';
import { seededRandom, shuffled } from '#lib/statistics/random.ts';
import type { TurnView } from '#session/views.ts';
import type { BySide, SideId } from '../side.ts';

/** Names of the two sides during a round. They must not reveal the side. */
export type Label = 'x' | 'y';

export type Choice = Label | 'none';

export interface Round {
  /** Number of the text in the list, counted from 1. */
  textNumber: number;
  text: string;
  /** The side that is X; the other one is Y. */
  x: SideId;
  /** The side that speaks first during the unheard preparation. */
  first: SideId;
}

/** All random decisions of a trial, reproducible from the seed. */
export interface Trial {
  seed: number;
  rounds: readonly Round[];
}

export interface Answer {
  choice: Choice;
  plays: Readonly<Record<Label, number>>;
}

export const LABELS: readonly Label[] = ['x', 'y'];

const MAX_ROUNDS = 200;

/** Returns the texts of a typed list: one per line, without empty lines. */
export const textsOf = (typed: string): string[] =>
  typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_ROUNDS);

/**
 * Returns one round per text, in an order drawn by the seed. Each side is X in a drawn half of the rounds, so that
 * neither a habit of choosing X nor the order of the texts favours a side.
 */
export function planTrial(texts: readonly string[], seed: number): Trial {
  const random = seededRandom(seed);
  const order = shuffled(
    texts.map((text, at) => ({ text, textNumber: at + 1 })),
    random,
  );
  const odd = random() < 0.5 ? 0 : 1;
  const xs = shuffled(
    texts.map((_, at): SideId => (at % 2 === odd ? 'a' : 'b')),
    random,
  );
  const firstOf = (): SideId => (random() < 0.5 ? 'a' : 'b');
  return { seed, rounds: order.map((round, at) => ({ ...round, x: xs[at] ?? 'a', first: firstOf() })) };
}

export const sideOf = ({ x }: Pick<Round, 'x'>, label: Label): SideId =>
  (label === 'x') === (x === 'a') ? 'a' : 'b';

/** Returns the side that a choice prefers; null for neither. */
export const preferredIn = (round: Round, choice: Choice): SideId | null =>
  choice === 'none' ? null : sideOf(round, choice);

export type Tally = Record<SideId | 'none', number>;

/** @param answers of the first rounds, in their order */
export function tallyOf({ rounds }: Trial, answers: readonly Answer[]): Tally {
  const tally: Tally = { a: 0, b: 0, none: 0 };
  answers.forEach(({ choice }, at) => {
    const round = rounds[at];
    if (round) tally[preferredIn(round, choice) ?? 'none'] += 1;
  });
  return tally;
}

/** The customary p-value below which a split is more than chance. */
const SIGNIFICANT = 0.05;
/** With fewer choices even a unanimous result has a p-value above 0.05: 2 · 0.5⁵ is 0.0625. */
const LEAST_CHOICES = 6;

/** Returns what a tally shows and what it does not show, with its p-value. */
export function tallySentence(tally: Tally): string {
  const { a, b } = tally;
  const choices = a + b;
  if (choices === 0) return 'No round had a preference, so there is nothing to test.';
  const p = signTest(a, b);
  const chance = `Were both equally liked, a split at least this uneven would come up in ${inHundred(p)} such tests (sign test, ${pWords(p)})`;
  if (p < SIGNIFICANT) {
    return `${chance}: this is probably not chance, and favours ${a > b ? 'A' : 'B'}.`;
  }
  const more =
    choices < LEAST_CHOICES
      ? ` With fewer than ${LEAST_CHOICES} choices not even a unanimous result could be distinguished from it.`
      : ' More rounds may show a difference.';
  return `${chance}: it cannot be distinguished from chance.${more}`;
}

const inHundred = (p: number): string =>
  p < 0.01 ? 'fewer than 1 of 100' : p >= 1 ? 'all' : `${Math.round(p * 100)} of 100`;

/** `A 3, B 1, no preference 2`. */
export const tallyText = ({ a, b, none }: Tally): string => `A ${a}, B ${b}, no preference ${none}`;

/** Returns gains that equalise two turns by reducing the louder one. Both are 1 for an unknown loudness. */
export function matchingGains({ a, b }: BySide<Pick<TurnView, 'loudness'> | null>): BySide<number> {
  const [gainA = 1, gainB = 1] = equalLoudnessGains([a?.loudness ?? null, b?.loudness ?? null]);
  return { a: gainA, b: gainB };
}

/** Returns the reduction by a gain, as in `3.2 dB`. */
export const reductionText = (gain: number): string => `${Math.abs(20 * Math.log10(gain)).toFixed(1)} dB`;

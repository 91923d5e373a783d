import { pWords } from '#benchmark/wording.ts';
import { signTest } from '#lib/statistics/binomial.ts';
import { type BradleyTerry, differenceError, fitBradleyTerry } from '#lib/statistics/bradley-terry.ts';
import { nameOf } from '../side.ts';
import { type AnsweredRound, preferredIn } from './rounds.ts';

export interface Score {
  wins: number;
  ties: number;
  losses: number;
}

/** Returns the score of a configuration, against all others or against one. */
export function scoreOf(heard: readonly AnsweredRound[], id: string, against?: string): Score {
  const score = { wins: 0, ties: 0, losses: 0 };
  for (const round of heard) {
    const other = round.x === id ? round.y : round.y === id ? round.x : null;
    if (other === null || (against !== undefined && against !== other)) continue;
    const preferred = preferredIn(round);
    score[preferred === null ? 'ties' : preferred === id ? 'wins' : 'losses'] += 1;
  }
  return score;
}

/** Returns ratings of the configurations in the order of their ids; finite also for one who won or lost all. */
export const fitOf = (ids: readonly string[], heard: readonly AnsweredRound[]): BradleyTerry =>
  fitBradleyTerry(
    ids.map((id) =>
      ids.map((other) => {
        const { wins, ties } = scoreOf(heard, id, other);
        return wins + ties / 2;
      }),
    ),
    1,
  );

/** Returns the distance of two ratings in standard errors of their difference. */
export const distanceOf = (fit: BradleyTerry, i: number, j: number): number =>
  Math.abs((fit.ratings[i] ?? 0) - (fit.ratings[j] ?? 0)) / differenceError(fit, i, j);

export interface Standing extends Score {
  id: string;
  /** Logarithm of the strength; 0 is the mean of all. */
  rating: number;
  /** Bounds of the 95 % interval. */
  low: number;
  high: number;
}

/** Half the width of the 95 % interval of a normal distribution, in standard errors. */
const HALF_WIDTH = 1.96;
/**
 * Error of the test whether the first place is settled, two-sided. It is smaller than the customary 0.05, because the
 * test is repeated after each round. `standings.test.ts` has the share of tournaments of equals that it misjudges.
 */
const SETTLED_ERROR = 0.02;
/** Distance of two ratings in standard errors that belongs to {@link SETTLED_ERROR}. */
const SETTLED_DISTANCE = 2.326;

/** Returns the standings, the best first. */
export function standingsOf(ids: readonly string[], heard: readonly AnsweredRound[]): Standing[] {
  const { ratings, covariance } = fitOf(ids, heard);
  return ids
    .map((id, at) => {
      const rating = ratings[at] ?? 0;
      const half = HALF_WIDTH * Math.sqrt(covariance[at]?.[at] ?? 0);
      return { id, rating, low: rating - half, high: rating + half, ...scoreOf(heard, id) };
    })
    .sort((a, b) => b.rating - a.rating);
}

/** Returns whether the lead of the first over the second is more than chance, also for one who looks after each round. */
export function isSettled(ids: readonly string[], heard: readonly AnsweredRound[]): boolean {
  const [first, second] = standingsOf(ids, heard);
  if (!first || !second) return false;
  // With two configurations, the exact test needs no approximation by a normal distribution.
  if (ids.length === 2) return signTest(first.wins, second.wins) < SETTLED_ERROR;
  return distanceOf(fitOf(ids, heard), ids.indexOf(first.id), ids.indexOf(second.id)) > SETTLED_DISTANCE;
}

const hasNoPreference = (heard: readonly AnsweredRound[]): boolean =>
  heard.every((round) => preferredIn(round) === null);

/** Returns the result in short: of two their counts, of more the first place. */
export function headlineOf(ids: readonly string[], heard: readonly AnsweredRound[]): string {
  const [first, second] = standingsOf(ids, heard);
  if (ids.length > 2 && first && second) {
    if (hasNoPreference(heard)) return 'No order yet';
    return isSettled(ids, heard)
      ? `${nameOf(first.id)} is first`
      : `${nameOf(first.id)} or ${nameOf(second.id)} is first`;
  }
  const { wins, losses, ties } = scoreOf(heard, 'a');
  return `A ${wins}, B ${losses}, no difference ${ties}`;
}

/** Returns what the answers show and what they do not show. */
export function resultSentence(ids: readonly string[], heard: readonly AnsweredRound[]): string {
  if (ids.length === 2) return signTestSentence(scoreOf(heard, 'a'));
  const [first, second] = standingsOf(ids, heard);
  if (!first || !second || hasNoPreference(heard)) return 'No round had a preference, so there is no order.';
  const lead = `The lead of ${nameOf(first.id)} over ${nameOf(second.id)} is ${(first.rating - second.rating).toFixed(2)}`;
  return isSettled(ids, heard)
    ? `${lead}, and its 98 % interval excludes 0: this is probably not chance. It was safe to stop.`
    : `${lead}, and its 98 % interval includes 0: it cannot be distinguished from chance. More rounds may change the order.`;
}

/** The customary p-value below which a split is more than chance. */
const SIGNIFICANT = 0.05;
/** With fewer choices even a unanimous result has a p-value above 0.05: 2 · 0.5⁵ is 0.0625. */
const LEAST_CHOICES = 6;

/** @param score of A against B */
function signTestSentence({ wins, losses }: Score): string {
  const choices = wins + losses;
  if (choices === 0) return 'No round had a preference, so there is nothing to test.';
  const p = signTest(wins, losses);
  const chance = `Were both equally liked, a split at least this uneven would come up in ${inHundred(p)} such tests (sign test, ${pWords(p)})`;
  if (p < SIGNIFICANT) {
    return `${chance}: this is probably not chance, and favours ${wins > losses ? 'A' : 'B'}.`;
  }
  const more =
    choices < LEAST_CHOICES
      ? ` With fewer than ${LEAST_CHOICES} choices not even a unanimous result could be distinguished from it.`
      : ' More rounds may show a difference.';
  return `${chance}: it cannot be distinguished from chance.${more}`;
}

const inHundred = (p: number): string =>
  p < 0.01 ? 'fewer than 1 of 100' : p >= 1 ? 'all' : `${Math.round(p * 100)} of 100`;

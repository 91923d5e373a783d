import { pWords } from '#benchmark/wording.ts';
import { signTest } from '#lib/statistics/binomial.ts';
import { type BradleyTerry, differenceError, fitBradleyTerry } from '#lib/statistics/bradley-terry.ts';
import { normalAtMost } from '#lib/statistics/normal.ts';
import { nameOf } from '../side.ts';
import { type AnsweredRound, preferredIn } from './rounds.ts';

interface Score {
  wins: number;
  ties: number;
  losses: number;
}

/** Returns the score of a configuration, against all others or against one. */
function scoreOf(heard: readonly AnsweredRound[], id: string, against?: string): Score {
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

/** Returns the probability that the order of two ratings is wrong. */
export function doubtOf(fit: BradleyTerry, i: number, j: number): number {
  const lead = Math.abs((fit.ratings[i] ?? 0) - (fit.ratings[j] ?? 0));
  return normalAtMost(-lead / differenceError(fit, i, j));
}

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

/** What the answers show: standings, the best first, and whether the lead of the first is more than chance. */
export interface Outcome {
  standings: readonly Standing[];
  /** Holds also for one who looks after each round. */
  isSettled: boolean;
  headline: string;
  sentence: string;
}

/** @param answered also rounds with configurations that are not among the ids; they do not count */
export function tournamentOutcome(ids: readonly string[], answered: readonly AnsweredRound[]): Outcome {
  const heard = answered.filter(({ x, y }) => ids.includes(x) && ids.includes(y));
  const fit = fitOf(ids, heard);
  const standings = ids
    .map((id, at) => {
      const rating = fit.ratings[at] ?? 0;
      const half = HALF_WIDTH * Math.sqrt(fit.covariance[at]?.[at] ?? 0);
      return { id, rating, low: rating - half, high: rating + half, ...scoreOf(heard, id) };
    })
    .sort((a, b) => b.rating - a.rating);
  const [first, ...others] = standings;
  if (!first || heard.every((round) => preferredIn(round) === null)) {
    const sentence = 'No round had a preference, so there is no order.';
    return { standings, isSettled: false, headline: 'No order yet', sentence };
  }
  // With two configurations, the exact test needs no approximation by a normal distribution.
  const isOfTwo = ids.length === 2;
  const rivals = others.map(({ id, rating }) => ({
    id,
    lead: first.rating - rating,
    p: isOfTwo
      ? signTest(first.wins, first.losses)
      : 2 * doubtOf(fit, ids.indexOf(first.id), ids.indexOf(id)),
  }));
  const open = rivals.filter(({ p }) => p >= SETTLED_ERROR);
  const isSettled = open.length === 0;
  // Of several as close, the one with the best rating.
  const closest = rivals.reduce((a, b) => (b.p > a.p ? b : a));
  const test = isOfTwo ? 'sign test' : 'test of the ratings';
  const lead = `The lead of ${nameOf(first.id)} over ${nameOf(closest.id)} is ${closest.lead.toFixed(2)} (${test}, ${pWords(closest.p)})`;
  const names = [first, ...open].map(({ id }) => nameOf(id));
  return {
    standings,
    isSettled,
    headline: `${names.join(', ').replace(/, (\w+)$/, ' or $1')} is first`,
    sentence: isSettled
      ? `${lead}: this is probably not chance. It was safe to stop.`
      : `${lead}: it cannot be distinguished from chance. More rounds may change the order.`,
  };
}

import { counted } from '#lib/format.ts';
import { type BradleyTerry, fitBradleyTerry } from '#lib/statistics/bradley-terry.ts';
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
/** Ratings of equal scores differ by rounding errors. */
const SAME_RATING = 1e-6;

/** What the answers show. The person decides whether that is enough. */
export interface Outcome {
  /** The best first. */
  standings: readonly Standing[];
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
  const best = standings.filter(({ rating }) => rating > (standings[0]?.rating ?? 0) - SAME_RATING);
  if (heard.every((round) => preferredIn(round) === null)) {
    return { standings, headline: 'No order yet', sentence: 'No round had a preference.' };
  }
  const names = best
    .map(({ id }) => nameOf(id))
    .join(', ')
    .replace(/, (\w+)$/, ' and $1');
  return {
    standings,
    headline: `${names} ${best.length > 1 ? 'are' : 'is'} rated best`,
    sentence: `After ${counted(heard.length, 'round')}. Where intervals overlap, more rounds may change the order.`,
  };
}

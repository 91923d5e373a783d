export type Matrix = readonly (readonly number[])[];

/** Ratings by the model of Bradley and Terry: `i` wins against `j` with the odds exp(ratings[i] − ratings[j]). */
export interface BradleyTerry {
  /** Logarithms of the strengths. Their sum is 0. */
  ratings: readonly number[];
  covariance: Matrix;
}

/** Largest step of a rating at which the iteration ends. */
const PRECISION = 1e-10;
const MAX_STEPS = 20_000;

/**
 * Returns the most likely ratings, by the iteration of Zermelo (1929) and Hunter (2004), with their covariance by the
 * observed information. Without `drawn`, ratings are finite only if no group won or lost all rounds against the rest.
 * @param wins `wins[i][j]` counts the rounds that `i` won against `j`; a tie is half a win for each
 * @param drawn imaginary ties of each, spread evenly over the others. 1 keeps all ratings finite; for two it is the
 *   correction of Haldane and Anscombe, half a win more for each
 */
export function fitBradleyTerry(wins: Matrix, drawn = 0): BradleyTerry {
  const size = wins.length;
  const extra = drawn / 2 / (size - 1);
  const won = wins.map((row, i) => row.map((count, j) => (i === j ? 0 : count + extra)));
  const rounds = won.map((row, i) => row.map((count, j) => count + (won[j]?.[i] ?? 0)));
  let ratings = wins.map(() => 0);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const strengths = ratings.map(Math.exp);
    const next = strengths.map((own, i) =>
      Math.log(sum(won[i]) / sum(rounds[i]?.map((count, j) => count / (own + (strengths[j] ?? 0))))),
    );
    const mean = sum(next) / size;
    const before = ratings;
    ratings = next.map((rating) => rating - mean);
    if (ratings.every((rating, i) => Math.abs(rating - (before[i] ?? 0)) < PRECISION)) break;
  }
  const weights = rounds.map((row, i) =>
    row.map((count, j) => {
      const odds = Math.exp((ratings[i] ?? 0) - (ratings[j] ?? 0));
      return (count * odds) / (1 + odds) ** 2;
    }),
  );
  // The information has the null vector (1, …, 1), because only differences are known. The added constant makes it
  // invertible, and is the inverse's own part outside of the ratings whose sum is 0.
  const information = weights.map((row, i) =>
    row.map((weight, j) => (i === j ? sum(row) : -weight) + 1 / size),
  );
  return { ratings, covariance: inverse(information).map((row) => row.map((value) => value - 1 / size)) };
}

const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0);

/** Inverts a positive definite matrix by Gauss–Jordan elimination, which needs no exchange of rows there. */
function inverse(matrix: Matrix): Matrix {
  let rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (const at of matrix.keys()) {
    const pivot = rows[at]?.map((value, _, row) => value / (row[at] ?? 1)) ?? [];
    rows = rows.map((row, i) =>
      i === at ? pivot : row.map((value, j) => value - (row[at] ?? 0) * (pivot[j] ?? 0)),
    );
  }
  return rows.map((row) => row.slice(matrix.length));
}

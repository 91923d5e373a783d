import { addAll } from '#lib/collections/arrays.ts';
import { seededRandom, shuffled } from '#lib/statistics/random.ts';
import type { AnsweredRound, Round } from './rounds.ts';
import { fitOf } from './standings.ts';

/** The rounds of each pair in their order, one for each text. The pairs are in the order of their first rounds. */
export type RoundPlan = readonly (readonly Round[])[];

/**
 * Makes all random decisions of a tournament. The configurations stand on a ring in drawn order. First come the pairs
 * of neighbours, in which each is X once and Y once, then the pairs that are two places apart, and so on. So each is X
 * in half of its pairs, and few rounds link all of them. The later rounds of a pair are drawn so that each is X in
 * half of them.
 */
export function planRounds(ids: readonly string[], texts: readonly string[], seed: number): RoundPlan {
  const random = seededRandom(seed);
  const ring = shuffled(ids, random);
  const ordered = shuffled(texts, random);
  const pairs: (readonly [x: string, y: string])[] = [];
  for (let apart = 1; apart <= ring.length / 2; apart += 1) {
    // Pairs on opposite places of the ring would be counted from both.
    const xs = apart * 2 === ring.length ? ring.slice(0, apart) : ring;
    const pairsApart = xs.map((x, at) => [x, ring[(at + apart) % ring.length] ?? x] as const);
    addAll(pairs, shuffled(pairsApart, random));
  }
  return pairs.map(([x, y], pair) => {
    const swapped = shuffled(
      ordered.slice(1).map((_, at) => at % 2 === 0),
      random,
    );
    // Each pair begins with another text, so that the first rounds use all of them about as often.
    const start = pair % ordered.length;
    return [...ordered.slice(start), ...ordered.slice(0, start)].map((text, at) =>
      swapped[at - 1] ? { text, x: y, y: x } : { text, x, y },
    );
  });
}

/**
 * Returns the next round: of the pairs that were heard least, the one with the closest ratings. Returns null after all
 * texts of all pairs, because the same two sounds again would count one judgement twice.
 */
export function nextRound(
  plan: RoundPlan,
  ids: readonly string[],
  heard: readonly AnsweredRound[],
): Round | null {
  const { ratings } = fitOf(ids, heard);
  const ratingOf = (id: string): number => ratings[ids.indexOf(id)] ?? 0;
  let best: { round: Round; count: number; lead: number } | null = null;
  for (const rounds of plan) {
    const [{ x, y } = { x: '', y: '' }] = rounds;
    const count = heard.filter((one) => (one.x === x && one.y === y) || (one.x === y && one.y === x)).length;
    const round = rounds[count];
    if (!round) continue;
    // Pairs that were never heard come in the order of the plan.
    if (count === 0) return round;
    const lead = Math.abs(ratingOf(x) - ratingOf(y));
    if (!best || count < best.count || (count === best.count && lead < best.lead))
      best = { round, count, lead };
  }
  return best?.round ?? null;
}

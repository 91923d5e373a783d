import fc from 'fast-check';
import { messageOf } from '#lib/message-of.ts';

/** A broken invariant. Its message names what was expected and what happened. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** One kind of fuzzing: random cases, and the invariants that hold for each. */
export interface FuzzPart<Case> {
  name: string;
  cases: fc.Arbitrary<Case>;
  /** Messages, calls or files of a case, as the budget counts them. */
  sizeOf(one: Case): number;
  /** Runs a case. Throws where an invariant does not hold. */
  check(one: Case): Promise<void> | void;
  /** The case for people. */
  describe(one: Case): string;
}

/** A broken invariant with the smallest case that was found, which `--replay part:seed:path` runs again. */
export interface FuzzFinding {
  replay: string;
  problem: string;
  example: string;
  /** How often it was seen. Shrinking counts as well. */
  times: number;
}

/** Has every case fail in whose time a fault appears, such as a line in the log of a server. */
export const watching = <Case>(part: FuzzPart<Case>, faults: () => readonly string[]): FuzzPart<Case> => ({
  ...part,
  async check(one) {
    const before = faults().length;
    const [outcome] = await Promise.allSettled([(async () => part.check(one))()]);
    const fault = faults()[before];
    // A failure of the case beside it is mostly its consequence.
    if (fault !== undefined) throw new Broken(`expected no fault, got ${fault}`);
    if (outcome.status === 'rejected') throw outcome.reason;
  },
});

export interface FuzzLimits {
  /** Messages, calls or files in all. */
  frames: number;
  /** Cases that run at once. */
  lanes: number;
  seed: number;
  /** Ends the part before its budget is used up, on the clock of `performance.now`. */
  untilMs: number;
  /** From a finding on, time to look for a smaller case. */
  shrinkWithinMs?: number;
  /** Ends the part as well. */
  signal?: AbortSignal;
}

export interface FuzzResult {
  name: string;
  cases: number;
  frames: number;
  /** Frames that were asked for. */
  budget: number;
  seconds: number;
  findings: readonly FuzzFinding[];
}

/** Cases that share a seed, so that a replay needs no more than their number. */
const CASES_A_ROUND = 20;
const SHRINK_WITHIN_MS = 20_000;
/** Characters that tell one problem from another. */
const KIND_CHARS = 120;
/** Further problems are mostly consequences of the first ones. */
const MOST_FINDINGS = 8;

/**
 * Runs random cases until the budget or the time is used up, and no further case then. A case that is under way ends by
 * its own limits. A known problem is counted and does not shrink again.
 */
export async function runFuzz<Case>(part: FuzzPart<Case>, limits: FuzzLimits): Promise<FuzzResult> {
  const { frames: budget, lanes, seed, untilMs, shrinkWithinMs = SHRINK_WITHIN_MS, signal } = limits;
  const findings = new Map<string, FuzzFinding>();
  const startedMs = performance.now();
  let frames = 0;
  let cases = 0;
  let rounds = 0;
  const isOver = () =>
    frames >= budget ||
    performance.now() >= untilMs ||
    findings.size >= MOST_FINDINGS ||
    signal?.aborted === true;

  /** Cases of one round. Interrupting them by fast-check would leave the last one running. */
  const checkRound = () => {
    let shrinkUntilMs = Number.POSITIVE_INFINITY;
    return async (one: Case): Promise<void> => {
      if (isOver() || performance.now() >= shrinkUntilMs) return;
      cases += 1;
      frames += part.sizeOf(one);
      try {
        await part.check(one);
      } catch (error) {
        const known = findings.get(kindOf(messageOf(error)));
        if (!known) {
          shrinkUntilMs = Math.min(shrinkUntilMs, performance.now() + shrinkWithinMs);
          throw error;
        }
        known.times += 1;
      }
    };
  };

  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const roundSeed = mixed(seed, rounds);
      rounds += 1;
      const outcome = await fc.check(fc.asyncProperty(part.cases, checkRound()), {
        seed: roundSeed,
        numRuns: CASES_A_ROUND,
      });
      if (!outcome.failed || outcome.counterexample === null) continue;
      const problem = messageOf(outcome.errorInstance);
      const times = 1 + outcome.numShrinks;
      // Another lane may have found the same in the meantime, which ends the search for smaller cases here.
      const known = findings.get(kindOf(problem));
      if (known) known.times += times;
      else {
        findings.set(kindOf(problem), {
          replay: `${part.name}:${outcome.seed}:${outcome.counterexamplePath}`,
          problem,
          example: part.describe(outcome.counterexample[0]),
          times,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const seconds = (performance.now() - startedMs) / 1000;
  return { name: part.name, cases, frames, budget, seconds, findings: [...findings.values()] };
}

/** Runs the one case that a finding names. */
export async function replayCase<Case>(
  part: FuzzPart<Case>,
  seed: number,
  path: string,
): Promise<FuzzResult> {
  const startedMs = performance.now();
  const [one] = fc.sample(part.cases, { seed, path, numRuns: 1 });
  if (one === undefined) throw new Error(`expected a case of ${part.name} at ${seed}:${path}, got none`);
  const frames = part.sizeOf(one);
  const findings: FuzzFinding[] = [];
  try {
    await part.check(one);
  } catch (error) {
    const replay = `${part.name}:${seed}:${path}`;
    findings.push({ replay, problem: messageOf(error), example: part.describe(one), times: 1 });
  }
  const seconds = (performance.now() - startedMs) / 1000;
  return { name: part.name, cases: 1, frames, budget: frames, seconds, findings };
}

/** Problems that differ in numbers and quotations only are one. */
const kindOf = (problem: string): string =>
  (problem.split('\n', 1)[0] ?? '').replace(/"[^"]*"|\d+/g, '#').slice(0, KIND_CHARS);

/** A seed of 32 bits for each round. */
const mixed = (seed: number, round: number): number =>
  Math.imul(Math.imul(seed | 0, 0x9e3779b1) ^ (round + 1), 0x85ebca6b) | 0;

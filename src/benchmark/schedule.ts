import { seededRandom, shuffled } from '#lib/statistics/random.ts';
import { connectionKinds, type Plan } from './plan.ts';
import type { BenchmarkRun } from './results.ts';

export interface ScheduledRun extends Pick<BenchmarkRun, 'text' | 'configuration' | 'connection'> {
  /** Counted from 0; null for a warm-up. */
  round: number | null;
  pauseMs: number;
}

/** Largest deviation of a pause, as a share of its mean. */
const PAUSE_SWING = 0.5;
/** A second random stream, so that pauses and order do not affect each other. */
const PAUSE_STREAM = 0x5eed;

/**
 * Returns all runs in their order, equal for the same plan and seed. Each round is a shuffle of all texts,
 * configurations and kinds of connection, so that drift of network, machine or vendor hits all of them alike and no
 * configuration always follows the same other one. Pauses vary, so that periodic effects are met at every phase.
 */
export function scheduleRuns(plan: Plan): ScheduledRun[] {
  const random = seededRandom(plan.seed);
  const pauses = seededRandom(plan.seed ^ PAUSE_STREAM);
  const pauseMs = (): number => plan.pauseMs * (1 + PAUSE_SWING * (2 * pauses() - 1));
  const kinds = connectionKinds(plan);
  const configurations = plan.configurations.map((_, at) => at);
  const warmUps = Array.from({ length: plan.warmUps }).flatMap(() =>
    configurations.map((configuration) => ({
      round: null,
      text: 0,
      configuration,
      connection: kinds[0] ?? 'warm',
    })),
  );
  const cells = plan.texts.flatMap((_, text) =>
    configurations.flatMap((configuration) =>
      kinds.map((connection) => ({ text, configuration, connection })),
    ),
  );
  const rounds = Array.from({ length: plan.runs }, (_, round) =>
    shuffled(cells, random).map((cell) => ({ round, ...cell })),
  ).flat();
  return [...warmUps, ...rounds].map((run) => ({ ...run, pauseMs: pauseMs() }));
}

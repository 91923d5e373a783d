import { seededRandom } from '#lib/statistics/random.ts';
import { type ConnectionKind, connectionKinds, type Plan } from './plan.ts';

export interface ScheduledRun {
  /** Counted from 0; null: a warm-up, which does not count. */
  round: number | null;
  /** Places in the plan. */
  text: number;
  configuration: number;
  connection: ConnectionKind;
  /** To wait before it. */
  pauseMs: number;
}

/** Of the pause, either way. */
const PAUSE_SWING = 0.5;
/** Keeps the pauses as they are where the order changes, and the other way round. */
const PAUSE_STREAM = 0x5eed;

/**
 * All runs in their order, the same for the same plan and seed. In each round every text is spoken once under every
 * configuration and on every kind of connection, in an order of its own: whatever drifts in the meantime (the network,
 * the machine, the vendor's load) meets all of them alike, and no configuration always follows the same other one.
 * Pauses differ, so that nothing periodic is hit always at the same phase.
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

/** Fisher and Yates: every order is equally likely. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const at = Math.floor(random() * (last + 1));
    const [a, b] = [result[last], result[at]];
    if (a === undefined || b === undefined) continue;
    result[last] = b;
    result[at] = a;
  }
  return result;
}

import { RUN_MEASURES } from '#benchmark/measures.ts';
import type { PlanConfiguration } from '#benchmark/plan.ts';
import type { RunMade } from '#benchmark/run-plan.ts';
import { knownSum } from '#lib/statistics/known-sum.ts';
import { measuresOf } from '#session/measures/turn-measures.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import type { RunResult } from '../session-client/runner.ts';

/** Finer than any clock of a browser. */
const DIGITS = 3;

/** Returns the figures of a finished run; a failed one has a reason and no measures. @param text the spoken text */
export function runFigures(
  { turn, turns, askedMs, handshakeMs, charged, outcome }: RunResult,
  text: string,
  source: PlanConfiguration['source'],
  wordErrorRate: number | null = null,
  soundFindings: number | null = null,
): RunMade {
  const audioSeconds = turns.reduce((sum, each) => sum + audioSecondsOf(each), 0);
  const spent = {
    audioSeconds: rounded(charged?.audioSeconds ?? audioSeconds),
    characters: charged?.characters ?? (turn ? text.length : 0),
    costCents: charged?.costCents ?? null,
    // `EUR` and `eur` are one currency.
    currency: charged?.currency?.toLowerCase() ?? null,
  };
  if (outcome.how !== 'spoken') return { failure: outcome.reason, measures: {}, ...spent };
  if (!turn) return { failure: 'There was no turn.', measures: {}, ...spent };
  const ofTurn: Record<string, number | null> = measuresOf(turn);
  const ofRun: Record<string, number | null> = {
    handshakeMs,
    wordErrorRate,
    soundFindings,
    serverDoneMs: between(turn.firstTextMs, turn.endedMs),
    // Unknown with a simulated model, whose own delay would be counted as the server's.
    pressToHeardMs:
      source.kind === 'whole' ? knownSum(between(askedMs, turn.firstTextMs), ofTurn.waitMs ?? null) : null,
  };
  const measures = Object.fromEntries(
    RUN_MEASURES.map(({ id }) => {
      const value = ofRun[id] ?? ofTurn[id] ?? null;
      return [id, value === null ? null : rounded(value)] as const;
    }),
  );
  // A run without a wait is a failure, because percentiles would leave it out silently.
  return measures.waitMs === null
    ? { failure: 'Nothing audible was heard.', measures: {}, ...spent }
    : { failure: null, measures, ...spent };
}

const between = (fromMs: number | null, toMs: number | null): number | null =>
  fromMs === null || toMs === null ? null : toMs - fromMs;

const rounded = (value: number): number => Number(value.toFixed(DIGITS));

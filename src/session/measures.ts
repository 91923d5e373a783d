import type { SortedValues } from '../lib/percentiles.ts';
import type { Endpoint } from '../protocol/endpoint.ts';
import type { Bill } from './contexts.ts';
import type { GapStatistics, SessionTotals, TurnState, TurnUsage, WaitSegment } from './model.ts';

/** The moments between which a turn's wait is divided, in their order; null: unknown to this protocol or yet to come. */
export interface WaitMoments {
  firstTextMs: number | null;
  serverStartedMs: number | null;
  firstAudioFrameMs: number | null;
  /** The first frame's samples were decoded and handed to the player. */
  queuedMs: number | null;
  /** The sound output was opened only then; null where it was there before. */
  outputMs: number | null;
  floorReachedMs: number | null;
  /** A line that is heard in turn was let go; null where it was not held back. */
  releasedMs: number | null;
  /** The first sample left the speakers. */
  firstSampleMs: number | null;
  /** The first sample that can be heard left the speakers. */
  firstAudibleMs: number | null;
}

/**
 * The wait from the first text to the first audible sample, in parts that follow one another and add up to it exactly.
 * A moment that is unknown gives its part's time to the next part; one that seems to lie before its predecessor (two
 * clocks are in play) is moved up to it, and none lies behind the last.
 */
export function waitSegments(moments: WaitMoments): WaitSegment[] | null {
  const { firstTextMs, firstAudibleMs } = moments;
  if (firstTextMs === null || firstAudibleMs === null) return null;
  const endMs = Math.max(firstTextMs, firstAudibleMs);
  let beforeMs = firstTextMs;
  return PARTS.flatMap(([name, moment]) => {
    const momentMs = moments[moment];
    if (momentMs === null) return [];
    const atMs = Math.min(endMs, Math.max(beforeMs, momentMs));
    const ms = atMs - beforeMs;
    beforeMs = atMs;
    return [{ name, ms }];
  });
}

const PARTS: readonly (readonly [WaitSegment['name'], keyof WaitMoments])[] = [
  ['server', 'serverStartedMs'],
  ['firstAudioFrame', 'firstAudioFrameMs'],
  ['decode', 'queuedMs'],
  ['output', 'outputMs'],
  ['startFloor', 'floorReachedMs'],
  ['inTurn', 'releasedMs'],
  ['firstSample', 'firstSampleMs'],
  ['leadingSilence', 'firstAudibleMs'],
];

/** Null while there are fewer than two audio frames. */
export const gapStatistics = (gapsMs: SortedValues): GapStatistics | null =>
  gapsMs.count === 0
    ? null
    : {
        count: gapsMs.count,
        meanMs: gapsMs.mean,
        p95Ms: gapsMs.percentile(0.95),
        longestMs: gapsMs.largest,
      };

/** What a turn adds to the totals of the session. */
export interface TurnSum {
  state: TurnState;
  chars: number;
  audioSeconds: number;
  usage: TurnUsage;
  billing: Endpoint['billing'];
}

/** Where contexts are billed and not turns, the charges come from `contexts`. */
export function sessionTotals(turns: Iterable<TurnSum>, contexts: Iterable<Bill> = []): SessionTotals {
  const totals: SessionTotals = {
    turns: 0,
    audioSeconds: 0,
    characters: 0,
    costCents: 0,
    currency: null,
    unknownCosts: 0,
    unreportedCosts: 0,
    planCharacters: 0,
  };
  for (const { state, chars, audioSeconds, usage, billing } of turns) {
    totals.turns += 1;
    const told = typeof usage === 'object' ? usage : null;
    totals.audioSeconds += told?.audioSeconds ?? audioSeconds;
    totals.characters += told?.characters ?? chars;
    totals.costCents += told?.costCents ?? 0;
    totals.currency = told?.currency ?? totals.currency;
    if (billing === 'none') {
      totals.unreportedCosts += 1;
      totals.planCharacters += told?.characters ?? 0;
    } else if (isCostUnknown(state, audioSeconds, usage)) totals.unknownCosts += 1;
  }
  for (const { billed, unknownCosts } of contexts) {
    totals.costCents += billed?.costCents ?? 0;
    totals.currency = billed?.currency ?? totals.currency;
    totals.unknownCosts += unknownCosts;
  }
  return totals;
}

/**
 * A turn that was cancelled or lost is charged for what was generated and nobody tells how much (decision 2, question
 * 14); a failed generation is not charged (decision 2.11).
 */
function isCostUnknown(state: TurnState, audioSeconds: number, usage: TurnSum['usage']): boolean {
  if (usage === 'pending' || usage === 'withContext') return false;
  if (usage !== 'unreported') return usage.costCents === null;
  return state === 'ended' || ((state === 'cancelled' || state === 'lost') && audioSeconds > 0);
}

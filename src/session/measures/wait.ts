import type { WaitSegment } from '../views.ts';

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

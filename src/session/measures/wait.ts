import type { WaitSegment } from '../views.ts';

/** Moments that divide a turn's wait, in order. Null is unknown to the protocol or not reached yet. */
export interface WaitMoments {
  firstTextMs: number | null;
  serverStartedMs: number | null;
  firstAudioFrameMs: number | null;
  /** The first frame's samples were decoded and handed to the player. */
  queuedMs: number | null;
  /** The sound output was opened; null if it was open before. */
  outputMs: number | null;
  floorReachedMs: number | null;
  /** The line queue released the line; null if it never held it. */
  releasedMs: number | null;
  firstSampleMs: number | null;
  firstAudibleMs: number | null;
}

/**
 * Splits the wait from the first text to the first audible sample into consecutive parts that add up to it exactly.
 * An unknown moment gives its time to the next part. Moments of two clocks may be out of order, so that each is clamped
 * between its predecessor and the end.
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

/** One of the consecutive segments that add up to the wait before a turn is heard. */
export interface WaitSegment {
  name:
    | 'server'
    | 'firstAudioFrame'
    | 'decode'
    | 'output'
    | 'startFloor'
    | 'inTurn'
    | 'firstSample'
    | 'leadingSilence';
  ms: number;
}

/** The length of a wait, or of its first segments. */
export const waitMsOf = (wait: readonly WaitSegment[]): number => wait.reduce((sum, { ms }) => sum + ms, 0);

/** Moments that divide a turn's wait, in order. Null is unknown to the protocol or not reached yet. */
export interface WaitMoments {
  firstTextMs: number | null;
  serverStartedMs: number | null;
  firstAudioFrameMs: number | null;
  /** The first frame's samples were decoded and handed to the player. */
  queuedMs: number | null;
  /** The sound output was opened; null if it was open before. */
  outputMs: number | null;
  targetReachedMs: number | null;
  /** The line queue released the line; null if it never held it. */
  releasedMs: number | null;
  firstSampleMs: number | null;
  firstAudibleMs: number | null;
}

/**
 * Splits the wait from the first text to the first audible sample into consecutive parts that add up to it exactly.
 * An unknown moment gives its time to the next part. A busy machine may note a moment late, but the samples are counted,
 * so that each moment is no later than the ones behind it, and the leading silence is exact.
 */
export function waitSegments(moments: WaitMoments): WaitSegment[] | null {
  const { firstTextMs, firstAudibleMs } = moments;
  if (firstTextMs === null || firstAudibleMs === null) return null;
  let latestMs = Math.max(firstTextMs, firstAudibleMs);
  const ends = PARTS.toReversed().flatMap(([name, moment]) => {
    const momentMs = moments[moment];
    if (momentMs === null) return [];
    latestMs = Math.max(firstTextMs, Math.min(latestMs, momentMs));
    return [{ name, atMs: latestMs }];
  });
  let beforeMs = firstTextMs;
  return ends.toReversed().map(({ name, atMs }) => {
    const ms = atMs - beforeMs;
    beforeMs = atMs;
    return { name, ms };
  });
}

const PARTS: readonly (readonly [WaitSegment['name'], keyof WaitMoments])[] = [
  ['server', 'serverStartedMs'],
  ['firstAudioFrame', 'firstAudioFrameMs'],
  ['decode', 'queuedMs'],
  ['output', 'outputMs'],
  ['startFloor', 'targetReachedMs'],
  ['inTurn', 'releasedMs'],
  ['firstSample', 'firstSampleMs'],
  ['leadingSilence', 'firstAudibleMs'],
];

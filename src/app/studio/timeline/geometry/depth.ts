import { playedOf } from '../../../session-client/played.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { gallop, lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { audioSecondsOf, type TurnLane } from '../../../session-client/timeline/turn-lanes.ts';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * How much audio of a context was received and neither heard nor dropped at a moment, in ms: what came, less what left.
 * Nobody samples it; it follows from the marks of audio frames and from the clocks of the turns.
 */
export function depthAt(context: string, lane: TurnLane, marks: LaneStore, ms: number): number {
  const { consumption } = lane;
  // What comes at that very moment is in.
  const received = marks.total(context, 'audio', Number.NEGATIVE_INFINITY, ms + Number.EPSILON * ms).sum;
  const next = lowerBound((at) => consumption[at]?.fromMs ?? NEVER, consumption.length, ms);
  return Math.max(0, received - consumedBy(consumption[next - 1], ms));
}

/** Depths at the end of each pixel from `fromPx` on, in ms of audio. Costs the pixels. */
export function depthsIn(
  context: string,
  lane: TurnLane,
  marks: LaneStore,
  scale: TimeScale,
  fromPx: number,
  count: number,
): Float64Array {
  const depths = marks.sums(context, 'audio', scale, fromPx, count);
  const timeOf = (at: number): number => lane.consumption[at]?.fromMs ?? NEVER;
  let next = lowerBound(timeOf, lane.consumption.length, scale.toMs(fromPx));
  for (let px = 0; px < count; px += 1) {
    const ms = scale.toMs(fromPx + px + 1);
    next = gallop(timeOf, lane.consumption.length, ms, next);
    depths[px] = Math.max(0, (depths[px] ?? 0) - consumedBy(lane.consumption[next - 1], ms));
  }
  return depths;
}

/** What was heard or dropped of all turns by a moment, given the last one that has begun to be. */
function consumedBy(last: TurnLane['consumption'][number] | undefined, ms: number): number {
  if (!last) return 0;
  const { turn, beforeMs } = last;
  const isDropped = turn.silencedMs !== null && turn.silencedMs <= ms;
  return beforeMs + (isDropped ? audioSecondsOf(turn) * 1000 : playedOf(turn).playedMsUntil(ms));
}

/** Tops of a scale of depths that read well, in ms. */
const TOPS_MS = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** The top of the scale on which a depth is drawn, with a little room above it. */
export const depthTop = (mostMs: number): number =>
  TOPS_MS.find((top) => top >= mostMs * 1.05) ?? Math.ceil(mostMs / 600_000) * 600_000;

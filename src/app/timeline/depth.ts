import { heardMsUntil } from './heard-clock.ts';
import type { LaneStore } from './lane-store.ts';
import { lowerBound } from './sorted.ts';
import type { TimeScale } from './time-scale.ts';
import type { TurnLane } from './turn-lanes.ts';

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
  const current = consumption[next - 1];
  if (!current) return received;
  const { turn, beforeMs } = current;
  const isDropped = turn.silencedMs !== null && turn.silencedMs <= ms;
  const ofTurn =
    isDropped && turn.sampleRate ? (turn.samples / turn.sampleRate) * 1000 : heardMsUntil(turn, ms);
  return Math.max(0, received - beforeMs - ofTurn);
}

/** Depths at each pixel from `fromPx` up to `toPx`, in ms of audio. */
export function depthsIn(
  context: string,
  lane: TurnLane,
  marks: LaneStore,
  scale: TimeScale,
  fromPx: number,
  toPx: number,
): Float64Array {
  const depths = new Float64Array(Math.max(0, Math.ceil(toPx) - Math.floor(fromPx)));
  for (let at = 0; at < depths.length; at += 1) {
    depths[at] = depthAt(context, lane, marks, scale.toMs(Math.floor(fromPx) + at));
  }
  return depths;
}

/** Tops of a scale of depths that read well, in ms. */
const TOPS_MS = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** The top of the scale on which a depth is drawn, with a little room above it. */
export const depthTop = (mostMs: number): number =>
  TOPS_MS.find((top) => top >= mostMs * 1.05) ?? Math.ceil(mostMs / 600_000) * 600_000;

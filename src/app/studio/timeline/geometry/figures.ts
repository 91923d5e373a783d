import type { ContextView, TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { playedOf } from '../../../session-client/played.ts';
import { isPending } from '../../../session-client/session-state.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { gallop } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import {
  heardSecondsOf,
  itemsIn,
  type TurnLane,
  type TurnLanes,
} from '../../../session-client/timeline/turn-lanes.ts';

export interface TimelineSpeaker {
  id: string;
  name: string;
  hue: number;
}

/** Returns a row for each speaker, then for each other context of the session. */
export function laneRows(
  speakers: readonly TimelineSpeaker[],
  turns: readonly TurnView[],
  marks: LaneStore,
  contexts: readonly ContextView[],
  hueOf: (context: string) => number,
): TimelineSpeaker[] {
  const rows = [...speakers];
  const known = new Set(speakers.map(({ id }) => id));
  const ofTurns = new Set(turns.map(({ context }) => context));
  for (const id of [...contexts.map((context) => context.id), ...ofTurns, ...marks.lanes]) {
    if (id === null || known.has(id)) continue;
    known.add(id);
    rows.push({ id, name: id, hue: hueOf(id) });
  }
  return rows;
}

export interface LaneState {
  word: string;
  tone: 'live' | 'waiting' | 'failed' | 'neutral';
}

/** Returns the state of a speaker. Hearing has precedence over generation. */
export function laneState(
  pending: readonly TurnView[],
  context: ContextView | undefined,
  isPlaying: boolean,
): LaneState {
  const speaking = pending.some(({ heardFromMs, heardToMs }) => heardFromMs !== null && heardToMs === null);
  if (speaking && isPlaying) return { word: 'Speaking', tone: 'live' };
  if (pending.some((turn) => isUnderWay(turn) && turn.samples > 0))
    return { word: 'generating', tone: 'neutral' };
  if (pending.some((turn) => isUnderWay(turn))) return { word: 'waiting', tone: 'waiting' };
  if (pending.length > 0) return { word: 'queued', tone: 'neutral' };
  if (context?.state === 'refused') return { word: 'refused', tone: 'failed' };
  return { word: context?.state ?? '', tone: 'neutral' };
}

/** Returns the heard audio of a context, and the received audio that is still to be heard. Costs the pending turns. */
export function laneFigures(id: string, lanes: TurnLanes, nowMs: number) {
  let heardSeconds = lanes.lane(id).heardSeconds;
  let queuedSeconds = 0;
  for (const turn of lanes.pending) {
    if (turn.context !== id || !isPending(turn)) continue;
    const heard = heardSecondsOf(turn, nowMs);
    heardSeconds += heard;
    queuedSeconds += Math.max(0, audioSecondsOf(turn) - heard);
  }
  return { heardSeconds, queuedSeconds };
}

/** With more changes of the prebuffer target in view, its line is unreadable and left out. */
const MOST_TARGETS = 400;
/** Room above the highest prebuffer target. */
const TARGET_SHARE = 1.5;

/**
 * Returns the fill of the buffer at the end of each pixel from the left edge to now, the prebuffer targets, and the top of
 * their scale, which is 0 where neither is in view. Times are wall clock, amounts are ms of audio.
 */
export function bufferDepth(
  context: string,
  lane: TurnLane,
  marks: LaneStore,
  scale: TimeScale,
  nowMs: number,
) {
  const endPx = Math.min(scale.widthPx, scale.toPx(nowMs));
  const depths = marks.sums(context, 'audio', scale, Math.max(0, Math.ceil(endPx)));
  let next = startedBefore(lane, scale.startMs);
  for (const [px, received] of depths.entries()) {
    const ms = scale.toMs(px + 1);
    next = startedBefore(lane, ms, next);
    depths[px] = Math.max(0, received - consumedBy(lane.consumption[next - 1], ms));
  }
  const endMs = Math.min(scale.endMs, nowMs);
  const isReadable = marks.total(context, 'prebufferTarget', scale.startMs, endMs).count <= MOST_TARGETS;
  const inside = isReadable ? marks.between(context, 'prebufferTarget', scale.startMs, endMs) : [];
  const before = marks.before(context, 'prebufferTarget', scale.startMs);
  const all = before ? [before, ...inside] : inside;
  const targets = all.map(({ atMs, amount }, at) => ({
    fromMs: atMs,
    toMs: all[at + 1]?.atMs ?? endMs,
    targetMs: amount,
  }));
  let mostMs = 0;
  for (const depth of depths) mostMs = Math.max(mostMs, depth);
  for (const { targetMs } of targets) mostMs = Math.max(mostMs, targetMs * TARGET_SHARE);
  return { depths, targets, topMs: mostMs === 0 ? 0 : depthTop(mostMs) };
}

/** Returns the audio of a context that was received and neither heard nor dropped by a moment, in ms. */
export function depthAt(context: string, lane: TurnLane, marks: LaneStore, ms: number): number {
  // Includes audio that arrives at that moment.
  const received = marks.total(context, 'audio', Number.NEGATIVE_INFINITY, ms + Number.EPSILON * ms).sum;
  return Math.max(0, received - consumedBy(lane.consumption[startedBefore(lane, ms) - 1], ms));
}

/** Returns how many turns had begun to be consumed before a moment. `from`: a number that is probably near it. */
function startedBefore({ consumption }: TurnLane, ms: number, from = 0): number {
  const startOf = (at: number): number => consumption[at]?.fromMs ?? Number.POSITIVE_INFINITY;
  return gallop(startOf, consumption.length, ms, from);
}

/** Returns the audio heard or dropped by a moment, given the last turn that had begun to be. */
function consumedBy(last: TurnLane['consumption'][number] | undefined, ms: number): number {
  if (!last) return 0;
  const { turn, beforeMs } = last;
  const isDropped = turn.silencedMs !== null && turn.silencedMs <= ms;
  return beforeMs + (isDropped ? audioSecondsOf(turn) * 1000 : playedOf(turn).playedMsUntil(ms));
}

const TOPS_MS = [250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/** Returns the round top of a scale for depths up to `mostMs`. */
const depthTop = (mostMs: number): number =>
  TOPS_MS.find((top) => top >= mostMs * 1.05) ?? Math.ceil(mostMs / 600_000) * 600_000;

/** A leap of 0 leaves out no item. */
const EVERY_ITEM = 0;

/** Returns sums over all contexts between two moments, in ms. Costs the items of the span. */
export function spanFigures(fromMs: number, toMs: number, lanes: TurnLanes, marks: LaneStore, nowMs: number) {
  const figures = {
    durationMs: toMs - fromMs,
    textFrames: 0,
    characters: 0,
    audioFrames: 0,
    receivedMs: 0,
    /** On the audio clock. Several speakers at the same time count each. */
    heardMs: 0,
    /** Generation time of chunks, per context. */
    generationMs: 0,
    underruns: 0,
  };
  const end = Math.min(toMs, nowMs);
  for (const context of marks.lanes) {
    const text = marks.total(context, 'text', fromMs, toMs);
    const audio = marks.total(context, 'audio', fromMs, toMs);
    figures.textFrames += text.count;
    figures.characters += text.sum;
    figures.audioFrames += audio.count;
    figures.receivedMs += audio.sum;
  }
  for (const id of lanes.ids) {
    const { made, heard, underruns } = lanes.lane(id);
    for (const item of itemsIn(made, fromMs, end, EVERY_ITEM)) {
      figures.generationMs += Math.max(0, Math.min(item.toMs, end) - Math.max(item.fromMs, fromMs));
    }
    for (const { turn } of itemsIn(heard, fromMs, end, EVERY_ITEM)) {
      figures.heardMs += playedOf(turn).playedMsUntil(end) - playedOf(turn).playedMsUntil(fromMs);
    }
    figures.underruns += itemsIn(underruns, fromMs, end, EVERY_ITEM).length;
  }
  return figures;
}

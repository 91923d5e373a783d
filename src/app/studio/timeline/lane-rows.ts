import type { ContextView, TurnView } from '#session/views.ts';
import type { LaneStore } from '../../session-client/timeline/lane-store.ts';
import {
  heardSecondsOf,
  isOver,
  isPending,
  type TurnLanes,
} from '../../session-client/timeline/turn-lanes.ts';

/** Who speaks in a lane. */
export interface TimelineSpeaker {
  /** The context. */
  id: string;
  name: string;
  /** 1 to 6. */
  hue: number;
}

/** A lane for each speaker, and behind them one for each context that has none any more. */
export function laneRows(
  speakers: readonly TimelineSpeaker[],
  lanes: TurnLanes,
  marks: LaneStore,
  contexts: readonly ContextView[],
): TimelineSpeaker[] {
  const rows = [...speakers];
  const known = new Set(speakers.map(({ id }) => id));
  for (const id of [...contexts.map((context) => context.id), ...lanes.ids, ...marks.lanes]) {
    if (id === null || known.has(id)) continue;
    known.add(id);
    rows.push({ id, name: id, hue: (rows.length % 6) + 1 });
  }
  return rows;
}

export interface LaneState {
  word: string;
  tone: 'live' | 'waiting' | 'failed' | 'neutral';
}

/** What a speaker is doing, in a word: what is heard comes before what is made. */
export function laneState(
  pending: readonly TurnView[],
  context: ContextView | undefined,
  isPlaying: boolean,
): LaneState {
  const speaking = pending.some(({ heardFromMs, heardToMs }) => heardFromMs !== null && heardToMs === null);
  if (speaking && isPlaying) return { word: 'Speaking', tone: 'live' };
  if (pending.some((turn) => !isOver(turn) && turn.samples > 0))
    return { word: 'generating', tone: 'neutral' };
  if (pending.some((turn) => !isOver(turn))) return { word: 'waiting', tone: 'waiting' };
  if (pending.length > 0) return { word: 'queued', tone: 'neutral' };
  if (context?.state === 'refused') return { word: 'refused', tone: 'failed' };
  return { word: context?.state ?? '', tone: 'neutral' };
}

export interface LaneFigures {
  heardSeconds: number;
  /** Received and still to be heard. */
  queuedSeconds: number;
}

/** Seconds heard and queued in a lane. Costs the turns under way, however many there were. */
export function laneFigures(id: string, lanes: TurnLanes, nowMs: number): LaneFigures {
  let heardSeconds = lanes.lane(id).heardSeconds;
  let queuedSeconds = 0;
  for (const turn of lanes.pending) {
    if (turn.context !== id || !isPending(turn)) continue;
    const heard = heardSecondsOf(turn, nowMs);
    heardSeconds += heard;
    if (turn.sampleRate) queuedSeconds += Math.max(0, turn.samples / turn.sampleRate - heard);
  }
  return { heardSeconds, queuedSeconds };
}

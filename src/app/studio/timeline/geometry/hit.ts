import type { Mark, Problem, TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { LaneStore, MarkKind } from '../../../session-client/timeline/lane-store.ts';
import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import type { Gap, Span, TurnLanes, UnderrunGap } from '../../../session-client/timeline/turn-lanes.ts';
import type { Selected } from '../../../stores/selection-store.ts';
import type { StripName } from './lane-shape.ts';

/** What lies under a point of the lanes. */
export type Hit =
  | { kind: 'mark'; mark: Mark }
  | { kind: 'chunk'; span: Span }
  | { kind: 'word'; turn: TurnView; chunk: number; word: number; text: string; isEstimated: boolean }
  | { kind: 'underrun'; gap: UnderrunGap }
  | { kind: 'wait'; turn: TurnView }
  | { kind: 'lost'; gap: Gap }
  | { kind: 'heard'; turn: TurnView }
  | { kind: 'buffer' };

export interface Point {
  context: string;
  strip: StripName;
  /** The strips are lanes of their own, so that a mark is meant only where it stands. */
  isOpen: boolean;
  ms: number;
}

export interface HitWorld {
  lanes: TurnLanes;
  marks: LaneStore;
  scale: TimeScale;
}

/** How near the pointer must be to a sign. */
const REACH_PX = 6;

/** Rarer signs first, since they are what one points at. */
const SENT: readonly MarkKind[] = ['cancel', 'closeSent', 'keepAlive', 'flush'];
const CAME: readonly MarkKind[] = ['error', 'refused', 'closed', 'opened'];
const OF_CONNECTION: readonly MarkKind[] = ['error', 'disconnected', 'connected'];

/** What lies there: signs before spans, since they are smaller; null where nothing is. */
export function hitAt(point: Point, world: HitWorld): Hit | null {
  const { strip, isOpen } = point;
  const signs = isOpen ? (strip === 'text' ? SENT : strip === 'audio' ? CAME : []) : [...CAME, ...SENT];
  const sign = markNear(point.context, signs, point, world) ?? markNear(null, OF_CONNECTION, point, world);
  if (sign) return { kind: 'mark', mark: sign };
  switch (strip) {
    case 'text':
    case 'audio': {
      const tick = markNear(point.context, [strip], point, world);
      return tick ? { kind: 'mark', mark: tick } : null;
    }
    case 'chunks': {
      const span = spanAt(world.lanes.lane(point.context).made, point.ms);
      if (span) return { kind: 'chunk', span };
      const tick = isOpen ? null : markNear(point.context, ['text'], point, world);
      return tick ? { kind: 'mark', mark: tick } : null;
    }
    case 'buffer':
      return underrunAt(point, world) ?? { kind: 'buffer' };
    case 'heard':
      return underrunAt(point, world) ?? heardAt(point, world);
  }
}

function markNear(
  context: string | null,
  kinds: readonly MarkKind[],
  { ms }: Point,
  { marks, scale }: HitWorld,
): Mark | null {
  for (const kind of kinds) {
    const mark = marks.nearest(context, kind, ms, REACH_PX * scale.msPerPx);
    if (mark) return mark;
  }
  return null;
}

function underrunAt({ context, ms }: Point, { lanes, scale }: HitWorld): Hit | null {
  const { underruns } = lanes.lane(context);
  const gap = spanAt(underruns, ms) ?? spanAt(underruns, ms + 2 * scale.msPerPx);
  return gap ? { kind: 'underrun', gap } : null;
}

function heardAt({ context, ms }: Point, { lanes }: HitWorld): Hit | null {
  const lane = lanes.lane(context);
  const turn = spanAt(lane.heard, ms)?.turn;
  const sample = turn ? playedOf(turn).sampleAt(ms) : null;
  if (turn && sample !== null) return wordAt(turn, sample) ?? { kind: 'heard', turn };
  const lost = spanAt(lane.lost, ms);
  if (lost) return { kind: 'lost', gap: lost };
  const waiting = waitingAt(lane.turns, ms);
  return waiting ? { kind: 'wait', turn: waiting } : null;
}

function wordAt(turn: TurnView, sample: number): Hit | null {
  const chunk = turn.chunks.findLast(
    ({ startSample, samples }) => samples > 0 && startSample <= sample && sample < startSample + samples,
  );
  if (!chunk?.words || !turn.sampleRate) return null;
  const inChunkMs = ((sample - chunk.startSample) / turn.sampleRate) * 1000;
  const word = chunk.words.findIndex(({ startMs, endMs }) => startMs <= inChunkMs && inChunkMs < endMs);
  const text = chunk.words[word]?.word;
  return text === undefined
    ? null
    : { kind: 'word', turn, chunk: chunk.id, word, text, isEstimated: chunk.wordsAreEstimated };
}

/** The turn whose first sound is waited for at a moment. */
function waitingAt(turns: readonly TurnView[], ms: number): TurnView | null {
  const after = lowerBound((at) => turns[at]?.firstTextMs ?? Number.POSITIVE_INFINITY, turns.length, ms);
  const turn = turns[after - 1];
  if (!turn || turn.silencedMs !== null) return null;
  return ms < (turn.heardFromMs ?? Number.NEGATIVE_INFINITY) ? turn : null;
}

function spanAt<S extends { fromMs: number; toMs: number }>(spans: readonly S[], ms: number): S | null {
  const at = lowerBound((index) => spans[index]?.fromMs ?? Number.POSITIVE_INFINITY, spans.length, ms) - 1;
  const span = spans[at];
  return span && span.toMs >= ms ? span : null;
}

/** What a press on it selects, in every panel; null where nothing is selected by it. */
export function selectionOf(hit: Hit): Selected | null {
  switch (hit.kind) {
    case 'mark':
      return hit.mark.frame === undefined
        ? null
        : { kind: 'frame', frame: hit.mark.frame, turn: hit.mark.turn, chunk: null };
    case 'chunk':
      return { kind: 'chunk', turn: hit.span.turn.id, chunk: hit.span.chunk.id };
    case 'word':
      return { kind: 'word', turn: hit.turn.id, chunk: hit.chunk, word: hit.word };
    case 'underrun':
      return { kind: 'underrun', turn: hit.gap.turn.id, underrun: hit.gap.underrun };
    case 'wait':
    case 'heard':
      return { kind: 'turn', turn: hit.turn.id };
    case 'lost':
      return { kind: 'turn', turn: hit.gap.turn.id };
    case 'buffer':
      return null;
  }
}

/** From where a press plays, as a sample of a turn; a word is played from its start. Null where nothing was heard. */
export function playFrom(hit: Hit, ms: number): { turn: number; sample: number } | null {
  if (hit.kind === 'word') {
    const chunk = hit.turn.chunks.find(({ id }) => id === hit.chunk);
    const startMs = chunk?.words?.[hit.word]?.startMs ?? 0;
    const rate = hit.turn.sampleRate ?? 0;
    return { turn: hit.turn.id, sample: Math.floor((chunk?.startSample ?? 0) + (startMs / 1000) * rate) };
  }
  if (hit.kind === 'heard') {
    const sample = playedOf(hit.turn).sampleAt(ms);
    return sample === null ? null : { turn: hit.turn.id, sample: Math.floor(sample) };
  }
  if (hit.kind === 'lost') {
    const { turn } = hit.gap;
    const lastMs = playedOf(turn).wallMsOf(turn.samples, true);
    const behind = lastMs === null ? 0 : ((lastMs - ms) / 1000) * (turn.sampleRate ?? 0);
    return {
      turn: turn.id,
      sample: Math.max(0, Math.min(turn.samples - 1, Math.floor(turn.samples - behind))),
    };
  }
  return null;
}

/** Words of an error are told apart from its mark, within a moment of it. */
const SAME_MS = 250;

/** The problem that was told of at a moment. */
export function problemAt(problems: readonly Problem[], ms: number): Problem | null {
  let best: Problem | null = null;
  for (const problem of problems) {
    const distance = Math.abs(problem.atMs - ms);
    if (distance <= SAME_MS && (!best || distance < Math.abs(best.atMs - ms))) best = problem;
  }
  return best;
}

import type { TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import type { Listening } from '#trace/user-actions.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { Selected } from '../../../session-client/selection.ts';
import { isPending } from '../../../session-client/session-state.ts';
import type { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import {
  chunkSpan,
  heardSecondsOf,
  heardSpan,
  itemsIn,
  type SampleClock,
  type TimeSpan,
  type TurnLanes,
  type TurnSpan,
  textSpan,
  underrunSpan,
  type WordSpan,
  waitSpan,
  waitsFromMs,
  wordSpan,
} from '../../../session-client/timeline/turn-lanes.ts';
import { MARKS, type MarkRow } from '../marks.ts';
import { bufferDepth } from './figures.ts';
import { findingSpans } from './finding-spans.ts';
import type { LaneBlock, StripName } from './lane-shape.ts';

/** Sound without a break: heard, or received and still to be heard. */
export interface WaveSpan extends TurnSpan {
  fromSample: number;
  isHeard: boolean;
}

/** The marks of one kind in view. */
export interface MarkLayer extends MarkRow {
  /** From left to right. */
  pixels: readonly number[];
}

/** The items of one block in view. Painters draw them, and the hit test searches them. */
export type LaneItems = ReturnType<typeof laneItems>;

export interface TimelineView {
  lanes: TurnLanes;
  marks: LaneStore;
  /** The window of time; one of its pixels is the smallest thing shown. */
  scale: TimeScale;
  blocks: readonly LaneBlock[];
  /** The part of the canvas in view, in px. */
  viewTop: number;
  viewHeight: number;
  nowMs: number;
  listening: Listening;
  /** Between two lines that are heard in turn. */
  pauseMs: number;
  selected: Selected | null;
}

export type DisplayList = ReturnType<typeof displayList>;

/** Returns everything in view at one moment, at a cost that does not depend on the length of the session. */
export function displayList(view: TimelineView) {
  const { blocks, viewTop, viewHeight, lanes, nowMs, selected } = view;
  const expected = lanes.isUnheard
    ? soundAhead(lanes.ahead, nowMs)
    : expectedSound(lanes.pending, nowMs, view.listening, view.pauseMs);
  const isInView = ({ top, height }: LaneBlock) => top + height > viewTop && top < viewTop + viewHeight;
  return {
    view,
    lanes: blocks.filter(isInView).map((block) => laneItems(block, view, expected)),
    connection: layersIn(view, null, ({ isOfConnection }) => isOfConnection),
    selected: selected ? selectedPlaces(selected, view) : [],
  };
}

interface ExpectedSound extends TimeSpan {
  turn: TurnView;
}

/** Returns when the rest of each turn is expected: now if heard together, else after the turn before. */
function expectedSound(
  pending: readonly TurnView[],
  nowMs: number,
  listening: Listening,
  pauseMs: number,
): ExpectedSound[] {
  const expected: ExpectedSound[] = [];
  let free = nowMs;
  for (const turn of pending) {
    if (turn.samples === 0) continue;
    const leftMs = (audioSecondsOf(turn) - heardSecondsOf(turn, nowMs)) * 1000;
    const isStarted = turn.heardFromMs !== null;
    const startMs = isStarted || listening === 'together' ? nowMs : free;
    if (leftMs > 0) expected.push({ fromMs: startMs, toMs: startMs + leftMs, turn });
    if (listening === 'inTurn') free = Math.max(free, startMs + leftMs + pauseMs);
  }
  return expected;
}

/** Returns the audio that a client has received and cannot have played yet. */
const soundAhead = (ahead: readonly TurnView[], nowMs: number): ExpectedSound[] =>
  ahead.flatMap((turn) => {
    if (turn.heardFromMs === null) return [];
    const fromMs = Math.max(nowMs, turn.heardFromMs);
    const toMs = turn.heardToMs ?? turn.heardFromMs + audioSecondsOf(turn) * 1000;
    return toMs > fromMs ? [{ fromMs, toMs, turn }] : [];
  });

function laneItems(block: LaneBlock, view: TimelineView, expected: readonly ExpectedSound[]) {
  const { lanes, marks, scale, nowMs } = view;
  const { id } = block;
  const { startMs, endMs, msPerPx } = scale;
  const lane = lanes.lane(id);
  const own = expected.filter(({ turn }) => turn.context === id);
  const inView = <Item extends TimeSpan>(items: readonly Item[]) => itemsIn(items, startMs, endMs, msPerPx);
  const made = inView(lane.made);
  const heard = inView(lane.heard);
  return {
    block,
    chunks: made.map((item) => endedBy(item, nowMs)),
    /** From the end of a chunk's generation to the moment it will be heard. */
    queued: own.flatMap(({ fromMs, turn }) => {
      const done = turn.chunks[0]?.completedMs ?? null;
      const isQueued = done !== null && turn.heardFromMs === null && done < fromMs;
      return isQueued ? [{ fromMs: done, toMs: fromMs }] : [];
    }),
    depth: block.strips.buffer && bufferDepth(id, lane, marks, scale, nowMs),
    lost: inView(lane.lost).map((item) => endedBy(item, nextStart(lane.heard, item.fromMs))),
    waves: [
      ...heard.flatMap(({ turn }) => heardWaves(turn, scale, nowMs)),
      ...own.map((one) => expectedWave(one, nowMs)),
    ],
    /** Silence before the first sound of a turn that the listener sat through. */
    waits: waitsIn([...made, ...heard], id, view),
    /** None where they would be too narrow to read. */
    words: [
      ...heard.map(({ turn }) => turn),
      ...own.flatMap(({ turn }) => (turn.heardFromMs === null ? [turn] : [])),
    ].flatMap((turn) => legibleWords(turn, view, own)),
    underruns: inView(lane.underruns).map((item) => endedBy(item, nowMs)),
    findings: [...new Set([...made, ...heard].map(({ turn }) => turn))]
      .flatMap((turn) => findingSpans(turn, view))
      .filter(({ fromMs, toMs }) => toMs >= startMs && fromMs <= endMs),
    marks: layersIn(view, id, ({ strip }) => strip !== undefined),
  };
}

const layersIn = (
  { marks, scale }: TimelineView,
  context: string | null,
  isShown: (row: MarkRow) => boolean | undefined,
): MarkLayer[] =>
  MARKS.filter(isShown).map((row) => ({ ...row, pixels: marks.pixels(context, row.kind, scale) }));

const endedBy = <Item extends TimeSpan>(item: Item, ms: number): Item => ({
  ...item,
  toMs: Math.min(item.toMs, ms),
});

/** Start of the first item at or after a moment; infinite if there is none. */
function nextStart(items: readonly TimeSpan[], ms: number): number {
  const timeOf = (at: number): number => items[at]?.fromMs ?? Number.POSITIVE_INFINITY;
  return timeOf(lowerBound(timeOf, items.length, ms));
}

function heardWaves(turn: TurnView, { startMs, endMs }: TimeScale, nowMs: number): WaveSpan[] {
  const until = Math.min(endMs, nowMs);
  const waves: WaveSpan[] = [];
  const played = playedOf(turn);
  for (const range of played.list) {
    const { sample: fromSample, atMs: fromMs } = range;
    const toMs = played.endMsOf(range);
    if (toMs < startMs || fromMs >= until) continue;
    waves.push({ fromMs, toMs: Math.min(toMs, until), turn, fromSample, isHeard: true });
  }
  return waves;
}

const expectedWave = ({ fromMs, toMs, turn }: ExpectedSound, nowMs: number): WaveSpan => ({
  fromMs,
  toMs,
  turn,
  fromSample: heardSecondsOf(turn, nowMs) * (turn.sampleRate ?? 0),
  isHeard: false,
});

/** Words that are narrower on average cannot be read. */
const LEAST_WORD_PX = 9;

/** Returns the words of a turn in view, where they were heard or are expected. */
function legibleWords(turn: TurnView, view: TimelineView, all: readonly ExpectedSound[]): WordSpan[] {
  const { nowMs } = view;
  const { startMs, endMs, msPerPx } = view.scale;
  const expected = all.find((one) => one.turn === turn);
  const heardSamples = heardSecondsOf(turn, nowMs) * (turn.sampleRate ?? 0);
  const isStarted = turn.heardFromMs !== null;
  const clock: SampleClock = (sample, isEnd) =>
    expected && (sample > heardSamples || !isStarted)
      ? expected.fromMs + ((sample - heardSamples) / (turn.sampleRate ?? 1)) * 1000
      : playedOf(turn).wallMsOf(sample, isEnd);
  const silencedMs = turn.silencedMs ?? Number.POSITIVE_INFINITY;
  const found: WordSpan[] = [];
  for (const chunk of turn.chunks) {
    const { words, startSample, samples } = chunk;
    if (!words || words.length === 0 || samples === 0) continue;
    const fromMs = clock(startSample, false);
    const toMs = clock(startSample + samples, true);
    if (fromMs === null || toMs === null || toMs < startMs || fromMs > endMs) continue;
    if ((toMs - fromMs) / msPerPx / words.length < LEAST_WORD_PX) continue;
    for (const at of words.keys()) {
      const item = wordSpan(turn, chunk, at, nowMs, clock);
      const isInView = item && item.toMs >= startMs && item.fromMs <= endMs && item.fromMs < silencedMs;
      if (isInView) found.push(item);
    }
  }
  return found;
}

/** Turns near another that may fill its wait. */
const NEIGHBOURS = 40;
/** A narrower wait is not visible. */
const LEAST_WAIT_PX = 1;

/** Returns the waits of the pending turns of a context and of the turns of items in view. */
function waitsIn(items: readonly TurnSpan[], context: string, view: TimelineView) {
  const { lanes, scale, nowMs } = view;
  const turns = new Set<TurnView>();
  for (const { turn } of items) {
    const fromMs = waitsFromMs(turn);
    if (fromMs === null) continue;
    const longestMs = (turn.heardFromMs ?? Number.POSITIVE_INFINITY) - fromMs;
    if (longestMs > LEAST_WAIT_PX * scale.msPerPx) turns.add(turn);
  }
  for (const turn of lanes.pending) if (turn.context === context) turns.add(turn);
  const waits: TurnSpan[] = [];
  for (const turn of turns) {
    const item = waitSpan(turn);
    if (!item || item.toMs <= item.fromMs) continue;
    const wait = { ...item, toMs: item.toMs === Number.POSITIVE_INFINITY ? nowMs : item.toMs };
    const isInView = wait.toMs > Math.max(scale.startMs, wait.fromMs) && wait.fromMs < scale.endMs;
    if (isInView && !isFilled(wait, lanes.around(turn, NEIGHBOURS))) waits.push(wait);
  }
  return waits;
}

/** Whether another turn was heard meanwhile, or an earlier turn shows the same silence. */
const isFilled = ({ turn, fromMs, toMs }: TurnSpan, others: readonly TurnView[]): boolean =>
  others.some(
    (other) =>
      other.id !== turn.id &&
      other.firstTextMs !== null &&
      (other.heardFromMs === null
        ? other.id < turn.id && isPending(other)
        : other.heardFromMs < toMs && (other.heardToMs ?? Number.POSITIVE_INFINITY) > fromMs),
  );

/** A selected span of time in strips of a block. */
interface Place extends TimeSpan {
  context: string | null;
  strips: readonly StripName[];
}

/** Returns the places of a selection, in view or not, first the one to scroll to; none if the lanes do not show it. */
export function selectedPlaces(
  selected: Selected,
  { lanes, marks, nowMs }: Pick<TimelineView, 'lanes' | 'marks' | 'nowMs'>,
): Place[] {
  const mark = selected.kind === 'frame' && selected.frame !== null ? marks.ofFrame(selected.frame) : null;
  const strip = mark && MARKS.find(({ kind }) => kind === mark.kind)?.strip;
  if (strip) return [{ context: mark.context, strips: [strip], fromMs: mark.atMs, toMs: mark.atMs }];
  // A frame without a mark, such as one of word timings, is shown by its chunk.
  const turn = selected.turn === null ? undefined : lanes.turn(selected.turn);
  if (!turn) return [];
  const place = (span: TimeSpan | null, ...strips: StripName[]): Place[] =>
    span ? [{ context: turn.context, strips, fromMs: span.fromMs, toMs: Math.min(span.toMs, nowMs) }] : [];
  if (selected.kind === 'turn') return [...place(heardSpan(turn), 'heard'), ...place(textSpan(turn), 'text')];
  if (selected.kind === 'underrun') return place(underrunSpan(turn, selected.underrun), 'heard', 'buffer');
  const chunk = turn.chunks.find(({ id }) => id === selected.chunk);
  if (!chunk) return [];
  if (selected.kind === 'word') return place(wordSpan(turn, chunk, selected.word, nowMs), 'heard');
  return [...place(chunkSpan(turn, chunk), 'chunks'), ...place(heardSpan(turn, chunk), 'heard')];
}

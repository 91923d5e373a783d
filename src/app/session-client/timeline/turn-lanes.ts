import { groupBy, madeOnce } from '#lib/collections/maps.ts';
import type { ChunkView, TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { isUnderWay } from '#trace/turn-state.ts';
import { type WaitSegment, waitMsOf } from '#trace/wait.ts';
import { Listeners } from '../../browser/listeners.ts';
import type { SoundFindings } from '../../recordings-client/sound-findings.ts';
import { playedOf } from '../played.ts';
import { isPending } from '../session-state.ts';
import { gallop, lowerBound } from './sorted.ts';

/** A stretch of wall clock. `toMs` is infinite while it lasts. */
export interface TimeSpan {
  fromMs: number;
  toMs: number;
}

export interface TurnSpan extends TimeSpan {
  turn: TurnView;
}

/** From the start of the generation to the completed chunk. */
export interface ChunkSpan extends TurnSpan {
  chunk: ChunkView;
}

export interface UnderrunSpan extends TurnSpan {
  underrun: number;
}

export interface WordSpan extends TurnSpan {
  chunk: ChunkView;
  word: number;
  text: string;
  isHeard: boolean;
}

/** The moment from which a turn consumes the audio received before it, by being heard or by being dropped. */
interface Consumption {
  fromMs: number;
  turn: TurnView;
  /** Audio of the turns before it, in ms. */
  beforeMs: number;
  /** Of the turns before it that are over. */
  heardBeforeSeconds: number;
}

/** The items of one context, each list in the order of time. */
export interface TurnLane {
  turns: readonly TurnView[];
  made: readonly ChunkSpan[];
  /** One per turn, silences inside it included. */
  heard: readonly TurnSpan[];
  underruns: readonly UnderrunSpan[];
  lost: readonly TurnSpan[];
  consumption: readonly Consumption[];
  /** Of turns that are over. */
  heardSeconds: number;
}

const SILENCED = new Set<TurnView['state']>(['cancelled', 'failed', 'lost']);
const OPEN = Number.POSITIVE_INFINITY;
/** Less than this is a rounding error. */
const LEAST_LOST_MS = 1;

export function unheardSeconds(turn: TurnView): number {
  const isCut = turn.silencedMs !== null || (SILENCED.has(turn.state) && turn.heardFromMs === null);
  if (!turn.sampleRate || !isCut) return 0;
  const seconds = audioSecondsOf(turn) - heardSecondsOf(turn, OPEN);
  return seconds * 1000 < LEAST_LOST_MS ? 0 : seconds;
}

/** Returns the seconds of a turn's audio heard until `nowMs`, without silence between ranges. */
export const heardSecondsOf = (turn: TurnView, nowMs: number): number =>
  Math.min(audioSecondsOf(turn), playedOf(turn).playedMsUntil(nowMs) / 1000);

/** From the first text frame to the flush. */
export function textSpan(turn: TurnView): TurnSpan | null {
  const { firstTextMs: fromMs, flushedMs } = turn;
  return fromMs === null ? null : { fromMs, toMs: flushedMs ?? OPEN, turn };
}

/** From the first text frame, or the question to a live model, to the first audible sample. */
export function waitSpan(turn: TurnView): TurnSpan | null {
  const { firstTextMs, heardFromMs, wait } = turn;
  const fromMs = waitsFromMs(turn);
  if (fromMs === null) return null;
  const heardMs = wait && firstTextMs !== null ? firstTextMs + waitMsOf(wait) : heardFromMs;
  return { fromMs, toMs: heardMs ?? (isPending(turn) ? OPEN : fromMs), turn };
}

/** Returns when the listener began to wait for a turn; null before. */
export const waitsFromMs = ({ id, answer, firstTextMs }: TurnView): number | null =>
  answer?.turn === id ? answer.askedMs : firstTextMs;

/** A part of the wait, or the time until the first token of a live model, which comes before it. */
export type SegmentName = WaitSegment['name'] | 'model';

/** From the question to the first token of the live model; null for a turn that does not begin with the question. */
export const modelSpan = ({ id, answer }: TurnView): TimeSpan | null =>
  answer?.turn === id && answer.firstTokenMs !== null
    ? { fromMs: answer.askedMs, toMs: answer.firstTokenMs }
    : null;

/** Both ends of a segment of a turn's wait; null for a segment that the turn does not have. */
export function segmentEnds(turn: TurnView, name: SegmentName): TimeSpan | null {
  const { firstTextMs, wait } = turn;
  if (name === 'model') return modelSpan(turn);
  const at = wait?.findIndex((segment) => segment.name === name) ?? -1;
  if (!wait || at < 0 || firstTextMs === null) return null;
  const fromMs = firstTextMs + waitMsOf(wait.slice(0, at));
  return { fromMs, toMs: fromMs + (wait[at]?.ms ?? 0) };
}

export function chunkSpan(turn: TurnView, chunk: ChunkView): ChunkSpan | null {
  const fromMs = chunk.startedMs ?? chunk.firstAudioMs;
  if (fromMs === null) return null;
  const ended =
    chunk.completedMs ?? (isUnderWay(turn) ? OPEN : (chunk.lastAudioMs ?? turn.endedMs ?? fromMs));
  return { fromMs, toMs: Math.max(fromMs, ended), turn, chunk };
}

export function heardSpan(
  turn: TurnView,
  { heardFromMs, heardToMs }: Pick<ChunkView, 'heardFromMs' | 'heardToMs'> = turn,
): TurnSpan | null {
  if (heardFromMs === null) return null;
  return { fromMs: heardFromMs, toMs: heardToMs ?? turn.heardToMs ?? OPEN, turn };
}

export function underrunSpan(turn: TurnView, underrun: number): UnderrunSpan | null {
  const of = turn.underruns[underrun];
  if (!of) return null;
  const toMs = of.lengthMs === null ? OPEN : of.atMs + of.lengthMs;
  return { fromMs: of.atMs, toMs, turn, underrun };
}

/** Returns received audio that was never heard, at the place where it would have been heard. */
function lostSpan(turn: TurnView): TurnSpan | null {
  const ms = unheardSeconds(turn) * 1000;
  const fromMs = turn.heardToMs ?? turn.silencedMs ?? turn.endedMs;
  return ms > 0 && fromMs !== null ? { fromMs, toMs: fromMs + ms, turn } : null;
}

/** Time at which a sample was or will be heard; null where unknown. `isEnd`: as for `PlayedRanges.wallMsOf`. */
export type SampleClock = (sample: number, isEnd: boolean) => number | null;

/** A word where it was heard by `clock`; null where the clock does not reach it. */
export function wordSpan(
  turn: TurnView,
  chunk: ChunkView,
  word: number,
  nowMs: number,
  clock: SampleClock = (sample, isEnd) => playedOf(turn).wallMsOf(sample, isEnd),
): WordSpan | null {
  const of = chunk.words?.[word];
  if (!of) return null;
  const samplesPerMs = (turn.sampleRate ?? 0) / 1000;
  const fromMs = clock(chunk.startSample + of.startMs * samplesPerMs, false);
  const toMs = clock(chunk.startSample + of.endMs * samplesPerMs, true);
  if (fromMs === null || toMs === null) return null;
  const isHeard = fromMs <= nowMs;
  return { fromMs, toMs: Math.max(fromMs, toMs), turn, chunk, word, text: of.word, isHeard };
}

class Lane implements TurnLane {
  turns: TurnView[] = [];
  made: ChunkSpan[] = [];
  heard: TurnSpan[] = [];
  underruns: UnderrunSpan[] = [];
  lost: TurnSpan[] = [];
  consumption: Consumption[] = [];
  heardSeconds = 0;
  receivedMs = 0;

  /** Rebuilds the items from the first changed turn on. */
  update(turns: TurnView[]): void {
    let same = 0;
    while (same < this.turns.length && this.turns[same] === turns[same]) same += 1;
    const changed = this.consumption[same];
    if (changed) {
      for (const list of [this.made, this.heard, this.underruns, this.lost, this.consumption]) {
        list.length = lowerBound((at) => list[at]?.turn.id ?? OPEN, list.length, changed.turn.id);
      }
      this.heardSeconds = changed.heardBeforeSeconds;
      this.receivedMs = changed.beforeMs;
    }
    this.turns = turns;
    for (const turn of turns.slice(same)) this.#add(turn);
  }

  #add(turn: TurnView): void {
    for (const chunk of turn.chunks) push(this.made, chunkSpan(turn, chunk));
    push(this.heard, heardSpan(turn));
    for (const at of turn.underruns.keys()) push(this.underruns, underrunSpan(turn, at));
    push(this.lost, lostSpan(turn));
    this.consumption.push({
      // Bisection needs ascending times, and clocks may disagree by a moment.
      fromMs: Math.max(turn.heardFromMs ?? turn.silencedMs ?? OPEN, this.consumption.at(-1)?.fromMs ?? 0),
      turn,
      beforeMs: this.receivedMs,
      heardBeforeSeconds: this.heardSeconds,
    });
    if (!isPending(turn)) this.heardSeconds += heardSecondsOf(turn, OPEN);
    this.receivedMs += audioSecondsOf(turn) * 1000;
  }
}

function push<T>(list: T[], item: T | null): void {
  if (item) list.push(item);
}

const EMPTY: TurnLane = new Lane();

/** What is wrong with the sound. `firstFrame`: number of the first entry of the recording in the session. */
interface LaneFindings {
  byTurn: SoundFindings;
  firstFrame: number;
}

/** The turns of a session as the items of its lanes. An update costs what changed, and one comparison per turn. */
export class TurnLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #changed = new Listeners();
  readonly subscribe = this.#changed.add;
  revision = 0;
  /** Turns with a part to come, in order of speaking. */
  pending: readonly TurnView[] = [];
  /** All turns in order of speaking. */
  all: readonly TurnView[] = [];
  /** Another client plays the turns. Their spans then show when it can have played them at the earliest, see `atEarliest`. */
  isUnheard = false;
  /** Of an unheard client: turns with audio that it cannot have played yet at the last update. */
  ahead: readonly TurnView[] = [];
  findings: LaneFindings = { byTurn: new Map(), firstFrame: 0 };

  /** @param unheardAtMs the present, where another client plays the turns; else null */
  update(
    turns: readonly TurnView[],
    unheardAtMs: number | null = null,
    findings: LaneFindings = this.findings,
  ): void {
    this.findings = findings;
    this.isUnheard = unheardAtMs !== null;
    this.ahead = turns.filter(({ heardToMs }) => unheardAtMs !== null && (heardToMs ?? OPEN) > unheardAtMs);
    this.revision += 1;
    this.all = turns;
    const sorted = groupBy(turns, ({ context }) => context);
    for (const id of this.#lanes.keys()) if (!sorted.has(id)) this.#lanes.delete(id);
    for (const [id, of] of sorted) madeOnce(this.#lanes, id, () => new Lane()).update(of);
    this.pending = turns.filter(isPending);
    this.#changed.call();
  }

  get ids(): string[] {
    return [...this.#lanes.keys()];
  }

  lane(id: string): TurnLane {
    return this.#lanes.get(id) ?? EMPTY;
  }

  turn(id: number): TurnView | undefined {
    const turn = this.all[this.#placeOf(id)];
    return turn?.id === id ? turn : undefined;
  }

  /** A turn and at most `reach` before and after it, of all lanes, in order of speaking. */
  around(turn: TurnView, reach: number): readonly TurnView[] {
    const at = this.#placeOf(turn.id);
    return this.all.slice(Math.max(0, at - reach), at + reach + 1);
  }

  #placeOf(id: number): number {
    return lowerBound((index) => this.all[index]?.id ?? OPEN, this.all.length, id);
  }
}

/**
 * Returns the items that touch `[fromMs, toMs]`. Items of a list rarely overlap, so it checks one item before the
 * window. Of items that begin within `leapMs`, which share a pixel, it returns the first.
 */
export function itemsIn<I extends TimeSpan>(
  items: readonly I[],
  fromMs: number,
  toMs: number,
  leapMs: number,
): I[] {
  const timeOf = (at: number): number => items[at]?.fromMs ?? OPEN;
  const found: I[] = [];
  let at = Math.max(0, lowerBound(timeOf, items.length, fromMs) - 1);
  while (at < items.length) {
    const item = items[at];
    if (!item || item.fromMs > toMs) break;
    if (item.toMs >= fromMs) found.push(item);
    at =
      item.toMs - item.fromMs < leapMs ? gallop(timeOf, items.length, item.fromMs + leapMs, at + 1) : at + 1;
  }
  return found;
}

import type { ChunkView, TurnView } from '#session/views.ts';
import { playedOf } from '../played.ts';
import { gallop, lowerBound } from './sorted.ts';

/** A stretch of one lane. `toMs` is infinite while it lasts. */
export interface Span {
  fromMs: number;
  toMs: number;
  turn: TurnView;
  chunk: ChunkView;
}

export interface Gap {
  fromMs: number;
  /** Infinite while it lasts. */
  toMs: number;
  turn: TurnView;
}

export interface UnderrunGap extends Gap {
  /** Its place among those of the turn. */
  underrun: number;
}

/** Where a turn begins to take from what was received before it, by being heard or by being dropped. */
interface Consumption {
  fromMs: number;
  turn: TurnView;
  /** Audio of the turns before it, in ms. */
  beforeMs: number;
}

/** All that the turns of one context draw, each list in the order of time. */
export interface TurnLane {
  turns: readonly TurnView[];
  /** From `generation_started` to `chunk_complete`. */
  made: readonly Span[];
  /** A turn each, silences inside it counted in. */
  heard: readonly Gap[];
  underruns: readonly UnderrunGap[];
  /** Received and never heard: where it would have been, had nobody cut it off. */
  lost: readonly Gap[];
  consumption: readonly Consumption[];
  heardSeconds: number;
  receivedSeconds: number;
}

const OVER = new Set<TurnView['state']>(['ended', 'cancelled', 'failed', 'lost']);
const SILENCED = new Set<TurnView['state']>(['cancelled', 'failed', 'lost']);
const OPEN = Number.POSITIVE_INFINITY;
/** Less than this is a matter of rounding. */
const LEAST_LOST_MS = 1;
const LISTS = ['made', 'heard', 'underruns', 'lost', 'consumption'] as const;
const SUMS = ['heardSeconds', 'receivedSeconds'] as const;

export const isOver = (turn: TurnView): boolean => OVER.has(turn.state);

/** Something of the turn is still to be made or to be heard. */
export const isPending = (turn: TurnView): boolean =>
  !isOver(turn) ||
  (turn.state === 'ended' && turn.samples > 0 && turn.heardToMs === null && turn.silencedMs === null);

/** What was received and will not be heard, in seconds. */
export function unheardSeconds(turn: TurnView): number {
  const isCut = turn.silencedMs !== null || (SILENCED.has(turn.state) && turn.heardFromMs === null);
  if (!turn.sampleRate || !isCut) return 0;
  const seconds = audioSecondsOf(turn) - heardSecondsOf(turn, OPEN);
  return seconds * 1000 < LEAST_LOST_MS ? 0 : seconds;
}

export const audioSecondsOf = ({ sampleRate, samples }: TurnView): number =>
  sampleRate ? samples / sampleRate : 0;

/** Seconds of a turn's audio that were heard up to a moment, silence between left out. */
export function heardSecondsOf(turn: TurnView, nowMs: number): number {
  return Math.min(audioSecondsOf(turn), playedOf(turn).playedMsUntil(nowMs) / 1000);
}

function madeSpan(turn: TurnView, chunk: ChunkView): Span | null {
  const fromMs = chunk.startedMs ?? chunk.firstAudioMs;
  if (fromMs === null) return null;
  const ended = chunk.completedMs ?? (isOver(turn) ? (chunk.lastAudioMs ?? turn.endedMs ?? fromMs) : OPEN);
  return { fromMs, toMs: Math.max(fromMs, ended), turn, chunk };
}

function lostGap(turn: TurnView): Gap | null {
  const ms = unheardSeconds(turn) * 1000;
  const fromMs = turn.heardToMs ?? turn.silencedMs ?? turn.endedMs;
  return ms > 0 && fromMs !== null ? { fromMs, toMs: fromMs + ms, turn } : null;
}

class Lane implements TurnLane {
  turns: TurnView[] = [];
  made: Span[] = [];
  heard: Gap[] = [];
  underruns: UnderrunGap[] = [];
  lost: Gap[] = [];
  consumption: Consumption[] = [];
  /** Of turns that are over; what is under way is added by who paints. */
  heardSeconds = 0;
  receivedSeconds = 0;
  /** Per turn, how long each list was before it. */
  readonly #marks: Record<(typeof LISTS)[number] | (typeof SUMS)[number], number>[] = [];

  /** Keeps the turns before the first that differs, and takes in the rest. */
  update(turns: TurnView[]): void {
    let same = 0;
    while (same < this.turns.length && this.turns[same] === turns[same]) same += 1;
    const mark = this.#marks[same];
    if (mark) {
      for (const list of LISTS) this[list].length = mark[list];
      for (const sum of SUMS) this[sum] = mark[sum];
    }
    this.#marks.length = same;
    this.turns = turns;
    for (const turn of turns.slice(same)) this.#add(turn);
  }

  #add(turn: TurnView): void {
    this.#marks.push({
      made: this.made.length,
      heard: this.heard.length,
      underruns: this.underruns.length,
      lost: this.lost.length,
      consumption: this.consumption.length,
      heardSeconds: this.heardSeconds,
      receivedSeconds: this.receivedSeconds,
    });
    for (const chunk of turn.chunks) {
      const made = madeSpan(turn, chunk);
      if (made) this.made.push(made);
    }
    if (turn.heardFromMs !== null) {
      this.heard.push({ fromMs: turn.heardFromMs, toMs: turn.heardToMs ?? OPEN, turn });
    }
    for (const [underrun, { atMs, lengthMs }] of turn.underruns.entries()) {
      this.underruns.push({ fromMs: atMs, toMs: lengthMs === null ? OPEN : atMs + lengthMs, turn, underrun });
    }
    const lost = lostGap(turn);
    if (lost) this.lost.push(lost);
    this.consumption.push({
      // Bisection rests on the order, whatever clocks say.
      fromMs: Math.max(turn.heardFromMs ?? turn.silencedMs ?? OPEN, this.consumption.at(-1)?.fromMs ?? 0),
      turn,
      beforeMs: this.receivedSeconds * 1000,
    });
    if (!isPending(turn)) this.heardSeconds += heardSecondsOf(turn, OPEN);
    this.receivedSeconds += audioSecondsOf(turn);
  }
}

const EMPTY: TurnLane = {
  turns: [],
  made: [],
  heard: [],
  underruns: [],
  lost: [],
  consumption: [],
  heardSeconds: 0,
  receivedSeconds: 0,
};

/** Turns sorted into lanes. Taking in an update costs what changed, and one look at each turn that did not. */
export class TurnLanes {
  readonly #lanes = new Map<string, Lane>();
  #pending: readonly TurnView[] = [];
  #all: readonly TurnView[] = [];
  /** Grows with every update. */
  revision = 0;

  update(turns: readonly TurnView[]): void {
    this.revision += 1;
    this.#all = turns;
    const sorted = new Map<string, TurnView[]>();
    for (const turn of turns) {
      const lane = sorted.get(turn.context);
      if (lane) lane.push(turn);
      else sorted.set(turn.context, [turn]);
    }
    for (const id of this.#lanes.keys()) if (!sorted.has(id)) this.#lanes.delete(id);
    for (const [id, of] of sorted) {
      const lane = this.#lanes.get(id) ?? new Lane();
      this.#lanes.set(id, lane);
      lane.update(of);
    }
    this.#pending = turns.filter(isPending);
  }

  get ids(): string[] {
    return [...this.#lanes.keys()];
  }

  lane(id: string): TurnLane {
    return this.#lanes.get(id) ?? EMPTY;
  }

  /** All turns in order of speaking. */
  get all(): readonly TurnView[] {
    return this.#all;
  }

  /** By its id, by bisection. */
  turn(id: number): TurnView | undefined {
    const at = lowerBound((index) => this.#all[index]?.id ?? OPEN, this.#all.length, id);
    const turn = this.#all[at];
    return turn?.id === id ? turn : undefined;
  }

  /** A turn and at most `reach` before and behind it, of all lanes, in order of speaking. */
  around(turn: TurnView, reach: number): readonly TurnView[] {
    const at = lowerBound((index) => this.#all[index]?.id ?? OPEN, this.#all.length, turn.id);
    return this.#all.slice(Math.max(0, at - reach), at + reach + 1);
  }

  /** Turns of which something is still to come, in order of speaking. */
  get pending(): readonly TurnView[] {
    return this.#pending;
  }
}

/**
 * Spans that touch `[fromMs, toMs]`. Spans of a lane hardly overlap, so the one before the window is enough to look
 * back to. Where several begin within `leapMs`, only the first of them is told: they fall on one pixel.
 */
export function spansIn<S extends { fromMs: number; toMs: number }>(
  spans: readonly S[],
  fromMs: number,
  toMs: number,
  leapMs: number,
): S[] {
  const timeOf = (at: number): number => spans[at]?.fromMs ?? OPEN;
  const found: S[] = [];
  let at = Math.max(0, lowerBound(timeOf, spans.length, fromMs) - 1);
  while (at < spans.length) {
    const span = spans[at];
    if (!span || span.fromMs > toMs) break;
    if (span.toMs >= fromMs) found.push(span);
    at =
      span.toMs - span.fromMs < leapMs ? gallop(timeOf, spans.length, span.fromMs + leapMs, at + 1) : at + 1;
  }
  return found;
}

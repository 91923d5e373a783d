import type { ChunkView, TurnView } from '../../session/model.ts';
import { lowerBound } from './sorted.ts';

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

/** All that the turns of one context draw, each list in the order of time. */
export interface TurnLane {
  turns: readonly TurnView[];
  /** From `generation_started` to `chunk_complete`. */
  made: readonly Span[];
  heard: readonly Span[];
  underruns: readonly Gap[];
  heardSeconds: number;
  receivedSeconds: number;
}

const OVER = new Set<TurnView['state']>(['ended', 'cancelled', 'failed', 'lost']);
const SILENCED = new Set<TurnView['state']>(['cancelled', 'failed', 'lost']);
const OPEN = Number.POSITIVE_INFINITY;

export const isOver = (turn: TurnView): boolean => OVER.has(turn.state);

/** Something of the turn is still to be made or to be heard. */
export const isPending = (turn: TurnView): boolean =>
  !isOver(turn) ||
  (turn.state === 'ended' && turn.samples > 0 && turn.heardToMs === null && turn.silencedMs === null);

/** What was received and will not be heard, in seconds. */
export function unheardSeconds(turn: TurnView): number {
  const isDone = SILENCED.has(turn.state) || turn.heardToMs !== null || turn.silencedMs !== null;
  if (!turn.sampleRate || !isDone) return 0;
  return Math.max(0, turn.samples / turn.sampleRate - heardSecondsOf(turn, turn.heardToMs ?? 0));
}

/** Seconds of a turn's audio that were heard up to a moment, silence between left out. */
export function heardSecondsOf(turn: TurnView, nowMs: number): number {
  let ms = 0;
  for (const { heardFromMs, heardToMs } of turn.chunks) {
    if (heardFromMs !== null)
      ms += Math.max(0, Math.min(heardToMs ?? turn.heardToMs ?? nowMs, nowMs) - heardFromMs);
  }
  for (const { atMs, lengthMs } of turn.underruns) {
    ms -= Math.max(0, Math.min(lengthMs ?? OPEN, nowMs - atMs));
  }
  const received = turn.sampleRate ? turn.samples / turn.sampleRate : 0;
  return Math.min(received, Math.max(0, ms / 1000));
}

function madeSpan(turn: TurnView, chunk: ChunkView): Span | null {
  const fromMs = chunk.startedMs ?? chunk.firstAudioMs;
  if (fromMs === null) return null;
  const ended = chunk.completedMs ?? (isOver(turn) ? (chunk.lastAudioMs ?? turn.endedMs ?? fromMs) : OPEN);
  return { fromMs, toMs: Math.max(fromMs, ended), turn, chunk };
}

function heardSpan(turn: TurnView, chunk: ChunkView): Span | null {
  if (chunk.heardFromMs === null) return null;
  return { fromMs: chunk.heardFromMs, toMs: chunk.heardToMs ?? turn.heardToMs ?? OPEN, turn, chunk };
}

class Lane implements TurnLane {
  turns: TurnView[] = [];
  made: Span[] = [];
  heard: Span[] = [];
  underruns: Gap[] = [];
  /** Of turns that are over; what is under way is added by who paints. */
  heardSeconds = 0;
  receivedSeconds = 0;
  /** Per turn, how long each list was before it. */
  readonly #marks: {
    made: number;
    heard: number;
    underruns: number;
    heardSeconds: number;
    received: number;
  }[] = [];

  /** Keeps the turns before the first that differs, and takes in the rest. */
  update(turns: TurnView[]): void {
    let same = 0;
    while (same < this.turns.length && this.turns[same] === turns[same]) same += 1;
    const mark = this.#marks[same];
    if (mark) {
      this.made.length = mark.made;
      this.heard.length = mark.heard;
      this.underruns.length = mark.underruns;
      this.heardSeconds = mark.heardSeconds;
      this.receivedSeconds = mark.received;
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
      heardSeconds: this.heardSeconds,
      received: this.receivedSeconds,
    });
    for (const chunk of turn.chunks) {
      const made = madeSpan(turn, chunk);
      if (made) this.made.push(made);
      const heard = heardSpan(turn, chunk);
      if (heard) this.heard.push(heard);
    }
    for (const { atMs, lengthMs } of turn.underruns) {
      this.underruns.push({ fromMs: atMs, toMs: lengthMs === null ? OPEN : atMs + lengthMs, turn });
    }
    if (!isPending(turn)) this.heardSeconds += heardSecondsOf(turn, OPEN);
    this.receivedSeconds += turn.sampleRate ? turn.samples / turn.sampleRate : 0;
  }
}

const EMPTY: TurnLane = {
  turns: [],
  made: [],
  heard: [],
  underruns: [],
  heardSeconds: 0,
  receivedSeconds: 0,
};

/** Turns sorted into lanes. Taking in an update costs what changed, and one look at each turn that did not. */
export class TurnLanes {
  readonly #lanes = new Map<string, Lane>();
  #pending: readonly TurnView[] = [];
  #all: readonly TurnView[] = [];

  update(turns: readonly TurnView[]): void {
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
      span.toMs - span.fromMs < leapMs
        ? lowerBound(timeOf, spans.length, span.fromMs + leapMs, at + 1)
        : at + 1;
  }
  return found;
}

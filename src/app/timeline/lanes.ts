import type { Listening, TurnView } from '../../session/model.ts';
import type { LaneStore, MarkColumn, MarkKind } from './lane-store.ts';
import type { TimeScale } from './time-scale.ts';
import { type Gap, heardSecondsOf, isPending, type Span, spansIn, type TurnLanes } from './turn-lanes.ts';

/** A piece of sound, up to a word in length. */
export interface Sound {
  fromMs: number;
  toMs: number;
  /** The word that it is; null where the protocol told no words or they are too small to be seen. */
  word: string | null;
  /** Heard, or received and still to be heard. */
  isHeard: boolean;
}

/** When a turn that waits is expected to be heard. */
export interface Expected {
  fromMs: number;
  toMs: number;
  turn: TurnView;
}

/** What one lane shows in a window of time. */
export interface LaneDrawing {
  id: string;
  text: readonly MarkColumn[];
  flushes: readonly MarkColumn[];
  audio: readonly MarkColumn[];
  /** Single events, each drawn with a sign of its own. */
  events: readonly { kind: EventKind; columns: readonly MarkColumn[] }[];
  chunks: readonly Span[];
  sounds: readonly Sound[];
  /** Silence that the listener sat through. */
  silences: readonly Gap[];
  /** From the end of a chunk's making to where it will be heard. */
  queued: readonly { fromMs: number; toMs: number }[];
}

export const EVENT_KINDS = [
  'cancel',
  'keepAlive',
  'opened',
  'closeSent',
  'closed',
  'refused',
  'error',
] as const satisfies readonly MarkKind[];
export type EventKind = (typeof EVENT_KINDS)[number];

export interface LaneInput {
  lanes: TurnLanes;
  marks: LaneStore;
  /** The window; a pixel of it is the smallest thing drawn. */
  scale: TimeScale;
  /** What is heard now; null while nothing is. */
  headMs: number | null;
  nowMs: number;
  listening: Listening;
  pauseMs: number;
}

/** Words narrower than this on average are drawn as one piece. */
const LEAST_WORD_PX = 3;

/**
 * When each turn that has audio will be heard, as far as one can tell now: together, each goes on from the play head;
 * in turn, each starts when the one before it is done.
 */
export function expectedSound(
  pending: readonly TurnView[],
  headMs: number | null,
  nowMs: number,
  listening: Listening,
  pauseMs: number,
): Expected[] {
  const from = headMs ?? nowMs;
  const expected: Expected[] = [];
  let free = from;
  for (const turn of pending) {
    if (!turn.sampleRate || turn.samples === 0 || !isPending(turn)) continue;
    const leftMs = (turn.samples / turn.sampleRate - heardSecondsOf(turn, from)) * 1000;
    const isStarted = turn.heardFromMs !== null;
    const startMs = isStarted || listening === 'together' ? from : free;
    if (leftMs > 0) expected.push({ fromMs: startMs, toMs: startMs + leftMs, turn });
    if (listening === 'inTurn') free = Math.max(free, startMs + leftMs + pauseMs);
  }
  return expected;
}

/** The first wait of a turn, as far as nothing else was heard meanwhile. */
function waitGap(turn: TurnView, others: readonly TurnView[], endMs: number): Gap | null {
  if (turn.firstTextMs === null) return null;
  const waitMs = turn.wait?.reduce((sum, { ms }) => sum + ms, 0);
  const toMs =
    waitMs === undefined
      ? (turn.heardFromMs ?? (isPending(turn) ? endMs : turn.firstTextMs))
      : turn.firstTextMs + waitMs;
  const isFilled = others.some(
    (other) =>
      other.id !== turn.id &&
      other.firstTextMs !== null &&
      ((other.heardFromMs !== null &&
        other.heardFromMs < toMs &&
        (other.heardToMs ?? Number.POSITIVE_INFINITY) > (turn.firstTextMs ?? 0)) ||
        // One silence is shown once, at the turn that is to be heard first.
        (other.id < turn.id && isPending(other) && other.heardFromMs === null)),
  );
  return isFilled || toMs <= turn.firstTextMs ? null : { fromMs: turn.firstTextMs, toMs, turn };
}

/** Sound of a chunk that was heard, word by word, moved on by the silences inside it. */
function soundsOf({ fromMs, toMs, turn, chunk }: Span, endMs: number, msPerPx: number): Sound[] {
  const until = Math.min(toMs, endMs);
  const inside = turn.underruns.filter(
    ({ atMs, lengthMs }) => atMs >= fromMs && atMs < until && (lengthMs === null || lengthMs > 0),
  );
  const words = chunk.words;
  const isCoarse = !words || words.length === 0 || (until - fromMs) / msPerPx / words.length < LEAST_WORD_PX;
  const pieces = isCoarse
    ? splitAround(fromMs, until, inside)
    : words.map(({ startMs, endMs: wordEndMs, word }) => ({
        fromMs: later(fromMs, startMs, inside),
        toMs: later(fromMs, wordEndMs, inside),
        word,
      }));
  return pieces
    .filter((piece) => piece.fromMs < until)
    .map((piece) => ({ ...piece, toMs: Math.min(piece.toMs, until), isHeard: true }));
}

type Underruns = TurnView['underruns'];

/** The moment at which `offsetMs` into the sound is heard, silences counted in. */
function later(fromMs: number, offsetMs: number, underruns: Underruns): number {
  let at = fromMs + offsetMs;
  for (const { atMs, lengthMs } of underruns) if (atMs <= at) at += lengthMs ?? 0;
  return at;
}

function splitAround(fromMs: number, toMs: number, underruns: Underruns) {
  const pieces: { fromMs: number; toMs: number; word: null }[] = [];
  let at = fromMs;
  for (const { atMs, lengthMs } of underruns) {
    if (atMs > at) pieces.push({ fromMs: at, toMs: atMs, word: null });
    at = lengthMs === null ? toMs : atMs + lengthMs;
  }
  if (at < toMs) pieces.push({ fromMs: at, toMs, word: null });
  return pieces;
}

/** Sound that is still to be heard, in the words that are known of it. */
function soundsToCome({ fromMs, toMs, turn }: Expected, heardToSecond: number): Sound[] {
  const sounds: Sound[] = [];
  const rate = turn.sampleRate ?? 1;
  for (const chunk of turn.chunks) {
    const startMs = (chunk.startSample / rate - heardToSecond) * 1000;
    const endMs = startMs + (chunk.samples / rate) * 1000;
    if (endMs <= 0) continue;
    const pieces = chunk.words?.length
      ? chunk.words.map((word) => ({
          from: startMs + word.startMs,
          to: Math.min(endMs, startMs + word.endMs),
          word: word.word,
        }))
      : [{ from: startMs, to: endMs, word: null }];
    for (const { from, to, word } of pieces) {
      if (to <= 0 || from >= endMs) continue;
      // What is half heard is named where it began.
      sounds.push({
        fromMs: fromMs + Math.max(0, from),
        toMs: Math.min(toMs, fromMs + to),
        word: from < 0 ? null : word,
        isHeard: false,
      });
    }
  }
  return sounds;
}

/** Turns near a window that may bear on the first wait of one in it. */
const NEIGHBOURS = 40;

/** What a lane shows. Costs what is in view, however long the session is. */
export function drawLane(id: string, input: LaneInput, expected: readonly Expected[]): LaneDrawing {
  const { lanes, marks, scale, headMs, nowMs } = input;
  const lane = lanes.lane(id);
  const { startMs, endMs, msPerPx } = scale;
  const liveMs = headMs ?? nowMs;
  const heard = spansIn(lane.heard, startMs, endMs, msPerPx);
  const own = expected.filter(({ turn }) => turn.context === id);
  const made = spansIn(lane.made, startMs, endMs, msPerPx);
  const shown = new Set([...made, ...heard].map(({ turn }) => turn).slice(-NEIGHBOURS));
  for (const turn of lanes.pending) if (turn.context === id) shown.add(turn);
  const silences = spansIn(lane.underruns, startMs, endMs, msPerPx).map((gap) => ({
    ...gap,
    toMs: Math.min(gap.toMs, liveMs),
  }));
  for (const turn of shown) {
    const gap = waitGap(turn, lanes.around(turn, NEIGHBOURS), nowMs);
    if (gap && gap.toMs > startMs && gap.fromMs < endMs) silences.push(gap);
  }
  return {
    id,
    text: marks.columns(id, 'text', scale),
    flushes: marks.columns(id, 'flush', scale),
    audio: marks.columns(id, 'audio', scale),
    events: EVENT_KINDS.map((kind) => ({ kind, columns: marks.columns(id, kind, scale) })),
    chunks: made.map((span) => ({ ...span, toMs: Math.min(span.toMs, nowMs) })),
    sounds: [
      ...heard.flatMap((span) => soundsOf(span, liveMs, msPerPx)),
      ...own.flatMap((one) => soundsToCome(one, heardSecondsOf(one.turn, liveMs))),
    ],
    silences,
    queued: own.flatMap(({ fromMs, turn }) => {
      const done = turn.chunks[0]?.completedMs ?? null;
      return done !== null && turn.heardFromMs === null && done < fromMs
        ? [{ fromMs: done, toMs: fromMs }]
        : [];
    }),
  };
}

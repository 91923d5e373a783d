import type { TurnView } from '#session/views.ts';

/** The two clocks of a turn: the audio clock counts its samples, the wall clock says when each left the speakers. */
export interface HeardPiece {
  fromMs: number;
  toMs: number;
  /** The sample at `fromMs`. */
  fromSample: number;
}

type HeardTurn = Pick<TurnView, 'stretches' | 'sampleRate' | 'samples' | 'heardToMs' | 'underruns'>;

const known = new WeakMap<HeardTurn, readonly HeardPiece[]>();

/**
 * What is heard of a turn without a break, in order; the last reaches as far as there is audio, which may be later than
 * now. Worked out once for each view of a turn.
 */
export function piecesOf(turn: HeardTurn): readonly HeardPiece[] {
  let pieces = known.get(turn);
  if (!pieces) {
    pieces = workOut(turn);
    known.set(turn, pieces);
  }
  return pieces;
}

function workOut({ stretches, sampleRate, samples, heardToMs, underruns }: HeardTurn): HeardPiece[] {
  if (!sampleRate) return [];
  return stretches.map(({ fromSample, wallMs }, at) => {
    const next = stretches[at + 1];
    const lengthMs = (((next?.fromSample ?? samples) - fromSample) / sampleRate) * 1000;
    const ends = [wallMs + Math.max(0, lengthMs)];
    if (next) ends.push(next.wallMs);
    else {
      if (heardToMs !== null) ends.push(heardToMs);
      for (const { atMs } of underruns) if (atMs >= wallMs) ends.push(atMs);
    }
    return { fromMs: wallMs, toMs: Math.max(wallMs, Math.min(...ends)), fromSample };
  });
}

/**
 * When a sample was heard, or will be if nothing comes between; null where hearing has not come to the turn.
 * @param isEnd the end of something: where hearing broke off right before the sample, the moment at which it did
 */
export function wallMsOf(turn: HeardTurn, sample: number, isEnd = false): number | null {
  const pieces = piecesOf(turn);
  const piece = pieces.findLast(({ fromSample }) => (isEnd ? fromSample < sample : fromSample <= sample));
  const from = piece ?? pieces[0];
  if (!from || !turn.sampleRate) return null;
  return from.fromMs + (Math.max(0, sample - from.fromSample) / turn.sampleRate) * 1000;
}

/** The sample that left the speakers at a moment; null in silence, before and after. */
export function sampleAt(turn: HeardTurn, ms: number): number | null {
  const piece = piecesOf(turn).findLast(({ fromMs }) => fromMs <= ms);
  if (!piece || ms > piece.toMs || !turn.sampleRate) return null;
  return piece.fromSample + ((ms - piece.fromMs) / 1000) * turn.sampleRate;
}

/** How much of a turn's audio was heard before a moment, in ms of the audio clock. */
export function heardMsUntil(turn: HeardTurn, ms: number): number {
  let sum = 0;
  for (const { fromMs, toMs } of piecesOf(turn)) {
    if (fromMs >= ms) break;
    sum += Math.min(toMs, ms) - fromMs;
  }
  return sum;
}

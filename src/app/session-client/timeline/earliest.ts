import { smallest } from '#lib/collections/arrays.ts';
import type { TurnView } from '#session/views.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { isUnderWay } from '#trace/turn-state.ts';

/** The last place of each view. All views are placed again with every report of any turn. */
const placed = new WeakMap<TurnView, { firstMs: number; fromMs: number; view: TurnView }>();

/**
 * Returns turns of another client as if the client had played each sample as early as it can: from the first audio frame
 * of the turn on, after the turn before it on its context, until it cancelled. What a client really plays is unknown.
 * Unchanged turns keep their identity.
 * @param isListening turns that were played here stay as they were
 */
export function atEarliest(turns: readonly TurnView[], isListening = false): TurnView[] {
  const freeMs = new Map<string, number>();
  return turns.map((turn) => {
    const known = placed.get(turn);
    const firstMs = known?.firstMs ?? firstAudioMs(turn);
    if (firstMs === null) return turn;
    const fromMs = Math.max(firstMs, freeMs.get(turn.context) ?? firstMs);
    const view = known?.fromMs === fromMs ? known.view : placedAt(turn, fromMs);
    placed.set(turn, { firstMs, fromMs, view });
    freeMs.set(turn.context, endMs(view, fromMs));
    return isListening && !turn.isLeftOut ? turn : view;
  });
}

/**
 * Returns how far a client is ahead of real time: the audio that it has received and cannot have played yet, of the
 * context that spoke last. Below 0 it has nothing left to play although its turn goes on; null while nothing plays.
 * @param turns as of {@link atEarliest}
 */
export function leadMs(turns: readonly TurnView[], nowMs: number): number | null {
  const last = turns.findLast(({ heardFromMs }) => heardFromMs !== null);
  if (!last || last.heardFromMs === null) return null;
  const ms = endMs(last, last.heardFromMs) - nowMs;
  return ms > 0 || isUnderWay(last) ? ms : null;
}

function placedAt(turn: TurnView, fromMs: number): TurnView {
  const playedMs = endMs(turn, fromMs) - fromMs;
  const count = Math.round((playedMs / 1000) * (turn.sampleRate ?? 0));
  const isCut = turn.state === 'cancelled' && count < turn.samples;
  return {
    ...turn,
    played: [{ sample: 0, count, atMs: fromMs }],
    heardFromMs: fromMs,
    heardToMs: isUnderWay(turn) ? null : fromMs + playedMs,
    silencedMs: isCut ? fromMs + playedMs : null,
    underruns: [],
  };
}

function endMs(turn: TurnView, fromMs: number): number {
  const wholeMs = fromMs + audioSecondsOf(turn) * 1000;
  const cutMs = turn.state === 'cancelled' ? (turn.bargeIn?.pressedMs ?? wholeMs) : wholeMs;
  return Math.max(fromMs, Math.min(wholeMs, cutMs));
}

function firstAudioMs({ chunks }: TurnView): number | null {
  const times = chunks.flatMap(({ firstAudioMs: ms }) => (ms === null ? [] : [ms]));
  return times.length === 0 ? null : smallest(times);
}

import { smallest } from '#lib/collections/arrays.ts';
import { EarliestPlayback, earliestEndMs } from '#session/measures/earliest.ts';
import type { TurnView } from '#session/views.ts';
import { isUnderWay } from '#trace/turn-state.ts';

/** The last place of each view. All views are placed again with every report of any turn. */
const placed = new WeakMap<TurnView, { firstMs: number; fromMs: number; view: TurnView }>();

/**
 * Returns turns of another client as {@link EarliestPlayback} places them. Unchanged turns keep their identity.
 * @param isListening turns that were played here stay as they were
 */
export function atEarliest(turns: readonly TurnView[], isListening = false): TurnView[] {
  const client = new EarliestPlayback();
  return turns.map((turn) => {
    const known = placed.get(turn);
    const firstMs = known?.firstMs ?? firstAudioMs(turn);
    const span = client.place(turn, firstMs);
    if (firstMs === null || !span) return turn;
    const { fromMs, toMs } = span;
    const view = known?.fromMs === fromMs ? known.view : placedAt(turn, fromMs, toMs - fromMs);
    placed.set(turn, { firstMs, fromMs, view });
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
  const ms = earliestEndMs(last, last.heardFromMs) - nowMs;
  return ms > 0 || isUnderWay(last) ? ms : null;
}

function placedAt(turn: TurnView, fromMs: number, playedMs: number): TurnView {
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

function firstAudioMs({ chunks }: TurnView): number | null {
  const times = chunks.flatMap(({ firstAudioMs: ms }) => (ms === null ? [] : [ms]));
  return times.length === 0 ? null : smallest(times);
}

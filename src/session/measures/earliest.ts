import { audioSecondsOf } from '#trace/speed.ts';
import type { TurnState } from '#trace/turn-state.ts';
import type { BargeIn } from '../views.ts';

/** The part of a turn that decides when its client can have played its audio. */
export interface Playable {
  context: string;
  state: TurnState;
  samples: number;
  sampleRate: number | null;
  bargeIn: Pick<BargeIn, 'pressedMs'> | null;
}

/**
 * Places the turns of another client, in their order, as if it had played each sample as early as it can: from the first
 * audio frame of the turn on, after the turn before it on its context, until it cancelled. When a client really plays is unknown.
 */
export class EarliestPlayback {
  readonly #freeMs = new Map<string, number>();

  /** Returns when the next turn began and ended, so far as its audio is known; null before its first audio. */
  place(turn: Playable, firstAudioMs: number | null): { fromMs: number; toMs: number } | null {
    if (firstAudioMs === null) return null;
    const fromMs = Math.max(firstAudioMs, this.#freeMs.get(turn.context) ?? firstAudioMs);
    const toMs = earliestEndMs(turn, fromMs);
    this.#freeMs.set(turn.context, toMs);
    return { fromMs, toMs };
  }
}

/** Returns when the audio of a turn ended, so far as it is known. @param fromMs the time of its first sample */
export function earliestEndMs(turn: Playable, fromMs: number): number {
  const wholeMs = fromMs + audioSecondsOf(turn) * 1000;
  const cutMs = turn.state === 'cancelled' ? (turn.bargeIn?.pressedMs ?? wholeMs) : wholeMs;
  return Math.max(fromMs, Math.min(wholeMs, cutMs));
}

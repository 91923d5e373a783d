import { PlayHead } from '../../player/clock.ts';
import type { PlayerView, TurnView } from '../../session/model.ts';
import { isHeardWhole } from '../stores/session-store.ts';

/** The end of any turn. */
const END = Number.MAX_SAFE_INTEGER;

/** How far each turn has been heard, so that a cancelled turn keeps its place after the player left it. */
export class ReadingPlaces {
  readonly #head = new PlayHead();
  readonly #reached = new Map<number, number>();
  #now: { turn: number; sample: number } | null = null;

  /** Takes in where the player is. A replay does not change how far a turn was heard. */
  follow(player: PlayerView, nowMs: number): void {
    this.#head.update({
      epoch: player.epoch,
      turn: player.turn,
      sample: player.sample,
      atMs: player.atMs,
      playing: player.state === 'playing',
      queuedSamples: Math.round(player.bufferedSeconds * player.sampleRate),
      sampleRate: player.sampleRate,
    });
    this.#now = this.#head.at(nowMs);
    if (this.#now === null || player.replaying) return;
    const { turn, sample } = this.#now;
    this.#reached.set(turn, Math.max(sample, this.#reached.get(turn) ?? 0));
  }

  /** The sample of a turn that is heard now, or was heard last; -1 where nothing of it was heard. */
  sampleOf(turn: Pick<TurnView, 'id' | 'heardToMs' | 'chunks'>): number {
    if (this.#now?.turn === turn.id) return this.#now.sample;
    if (isHeardWhole(turn)) return END;
    return this.#reached.get(turn.id) ?? -1;
  }
}

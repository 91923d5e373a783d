import { PlayHead } from '#player/clock.ts';
import type { PlayerView, TurnView } from '#session/views.ts';
import { isHeardWhole } from './session-store.ts';

/** The end of any turn. */
const END = Number.MAX_SAFE_INTEGER;

/** How far each turn has been heard, so that a cancelled turn keeps its place after the player left it. */
export class ReadingPlaces {
  /** By context. */
  readonly #heads = new Map<string, PlayHead>();
  readonly #reached = new Map<number, number>();
  /** Where each turn that plays now is. */
  readonly #now = new Map<number, number>();

  /** Takes in where the player is. A replay does not change how far a turn was heard. */
  follow(player: PlayerView, nowMs: number): void {
    this.#now.clear();
    for (const track of player.tracks) {
      const head = this.#heads.get(track.context) ?? new PlayHead();
      this.#heads.set(track.context, head);
      head.update({
        epoch: track.epoch,
        turn: track.turn,
        sample: track.sample,
        atMs: track.atMs,
        playing: track.state === 'playing',
        queuedSamples: Math.round(track.bufferedSeconds * player.sampleRate),
        sampleRate: player.sampleRate,
      });
      const now = head.at(nowMs);
      if (now === null) continue;
      this.#now.set(now.turn, now.sample);
      if (!player.replaying)
        this.#reached.set(now.turn, Math.max(now.sample, this.#reached.get(now.turn) ?? 0));
    }
  }

  /** The sample of a turn that is heard now, or was heard last; -1 where nothing of it was heard. */
  sampleOf(turn: Pick<TurnView, 'id' | 'heardToMs' | 'chunks'>): number {
    const now = this.#now.get(turn.id);
    if (now !== undefined) return now;
    if (isHeardWhole(turn)) return END;
    return this.#reached.get(turn.id) ?? -1;
  }
}

import { createContext, use } from 'react';
import { Listeners } from '../../browser/listeners.ts';
import { paint } from '../../browser/paint.ts';
import type { Playheads } from '../../session-client/played.ts';
import { present } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { isLive, trackOf } from '../../session-client/session-state.ts';
import { Highlighter, type LitTurn } from './highlighter.ts';

/** Lights the words of one transcript as they leave the speakers. */
export class Lights {
  readonly #client: SessionClient;
  readonly #followers = new Listeners<[current: HTMLElement]>();
  readonly #highlighter = new Highlighter((node) => this.#followers.call(node));

  /** Playheads of the last paint. Other playheads belong to another session, which uses the same ids for other turns. */
  #playheads: Playheads;

  constructor(client: SessionClient) {
    this.#client = client;
    this.#playheads = client.playheads;
  }

  /** Paints with every frame. Returns the function that ends it. */
  start(): () => void {
    return paint.add(() => {
      const { player } = this.#client.state;
      this.#currentPlayheads().follow(player, this.#client.sound.heardMs());
      for (const id of this.#highlighter.turns) this.#light(id);
      return player.state === 'playing';
    });
  }

  /** Lights a turn. Returns the function that removes it. */
  show(lit: LitTurn): () => void {
    const leave = this.#highlighter.register(lit);
    this.#light(lit.turn);
    return leave;
  }

  /** Whether the view follows the light. */
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  /** Calls back with the element of each word that becomes the current one. */
  readonly follow = this.#followers.add;

  /** A client replaces its playheads when another session begins in it, such as the next run of a replay. */
  #currentPlayheads(): Playheads {
    const { playheads } = this.#client;
    if (playheads !== this.#playheads) this.#highlighter.forget();
    this.#playheads = playheads;
    return playheads;
  }

  #light(id: number): void {
    const { turns, player } = this.#client.state;
    const turn = turns.get(id);
    if (!turn) return;
    const track = trackOf(player, turn.context);
    const isPlaying = track.turn === id && track.state !== 'idle' && player.state !== 'detached';
    this.#highlighter.paint(id, this.#currentPlayheads().placeOf(turn), !isPlaying && !isLive(turn, player));
  }
}

export const LightsContext = createContext<Lights | null>(null);

export const useLights = (): Lights => present(use(LightsContext), 'Transcript');

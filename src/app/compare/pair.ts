import { createStore, type StoreApi } from 'zustand/vanilla';
import { deepEqual } from '#lib/deep-equal.ts';
import type { StereoGains } from '#player/stereo-gains.ts';
import { type RunConfig, Runner } from '../session-client/runner.ts';
import type { SessionState } from '../session-client/session-state.ts';
import { useSettings } from '../stores/settings-store.ts';
import { useCompare } from './compare-store.ts';
import { type BySide, SIDES, type SideId } from './side.ts';

/** Two sessions that speak the same text, with the state of their comparison. */
export abstract class Pair<State> {
  readonly store: StoreApi<State>;
  readonly #open = new Map<SideId, { config: RunConfig; runner: Runner }>();
  #abort: AbortController | null = null;
  #unsubscribe: (() => void)[] = [];

  constructor(state: State) {
    this.store = createStore<State>()(() => state);
  }

  get state(): State {
    return this.store.getState();
  }

  protected abstract soundOf(side: SideId): { isHeard: boolean; gains: StereoGains };

  protected abstract follow(side: SideId, session: SessionState): void;

  /** The runner of a side; null before its session was opened. */
  protected runner(side: SideId): Runner | null {
    return this.#open.get(side)?.runner ?? null;
  }

  protected get isSpeaking(): boolean {
    return this.#abort !== null;
  }

  /** Runs `task` in place of an earlier one; resolves when it is over or aborted. Needs a gesture. */
  protected async speak(
    configs: BySide<RunConfig>,
    task: (runners: BySide<Runner>, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const runners = { a: this.#runnerOf('a', configs.a), b: this.#runnerOf('b', configs.b) };
    this.#unfollow();
    this.#unsubscribe = [
      ...SIDES.map((side) => runners[side].client.store.subscribe((session) => this.follow(side, session))),
      useSettings.subscribe(() => this.applySound()),
      useCompare.subscribe(() => this.applySound()),
    ];
    this.applySound();
    try {
      await task(runners, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      if (this.#abort === abort) this.#abort = null;
    }
  }

  /** Silences both, and abandons what is under way. */
  cancel(): void {
    this.#abort?.abort();
    for (const side of SIDES) this.runner(side)?.client.cancel();
  }

  stopRepeat(): void {
    for (const side of SIDES) this.runner(side)?.client.stopRepeat();
  }

  /** Applies `soundOf` and the volume of the page. */
  protected applySound(): void {
    const { volume, muted } = useSettings.getState();
    for (const side of SIDES) {
      const { isHeard, gains } = this.soundOf(side);
      const runner = this.runner(side);
      runner?.setGains(gains);
      runner?.client.sound.setVolume(volume, muted || !isHeard);
    }
  }

  protected close(): void {
    this.#abort?.abort();
    this.#unfollow();
    for (const { runner } of this.#open.values()) runner.dispose();
    this.#open.clear();
  }

  /** Returns the runner of a side. A session with an unchanged configuration stays connected. */
  #runnerOf(side: SideId, config: RunConfig): Runner {
    const open = this.#open.get(side);
    if (open && deepEqual(open.config, config)) return open.runner;
    open?.runner.dispose();
    const runner = new Runner(config, { muted: true });
    this.#open.set(side, { config, runner });
    return runner;
  }

  #unfollow(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
  }
}

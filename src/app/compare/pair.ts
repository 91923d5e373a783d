import { createStore, type StoreApi } from 'zustand/vanilla';
import { deepEqual } from '#lib/deep-equal.ts';
import type { StereoGains } from '#player/stereo-gains.ts';
import { type RunConfig, Runner } from '../session-client/runner.ts';
import type { SessionState } from '../session-client/session-state.ts';
import { useCompare } from './compare-store.ts';

/** Sessions that speak the same texts, with the state of their comparison. Two at a time are under way. */
export abstract class Pair<State, Id extends string> {
  readonly store: StoreApi<State>;
  readonly #open = new Map<Id, { config: RunConfig; runner: Runner }>();
  #abort: AbortController | null = null;
  #unsubscribe: (() => void)[] = [];

  constructor(state: State) {
    this.store = createStore<State>()(() => state);
  }

  get state(): State {
    return this.store.getState();
  }

  protected abstract soundOf(side: Id): { isHeard: boolean; gains: StereoGains };

  protected abstract follow(side: Id, session: SessionState): void;

  /** The runner of a side; null before its session was opened. */
  protected runner(side: Id): Runner | null {
    return this.#open.get(side)?.runner ?? null;
  }

  protected get isSpeaking(): boolean {
    return this.#abort !== null;
  }

  /** Runs `task` in place of an earlier one; resolves when it is over or aborted. Needs a gesture. */
  protected async speak(
    configs: Readonly<Record<Id, RunConfig>>,
    task: (runners: Readonly<Record<Id, Runner>>, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const ids = Object.keys(configs) as Id[];
    const opened = ids.map((id) => [id, this.#runnerOf(id, configs[id])] as const);
    this.#unfollow();
    this.#unsubscribe = [
      ...opened.map(([id, { client }]) => client.store.subscribe((session) => this.follow(id, session))),
      useCompare.subscribe(() => this.applySound()),
    ];
    this.applySound();
    try {
      await task(Object.fromEntries(opened) as Record<Id, Runner>, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      if (this.#abort === abort) this.#abort = null;
    }
  }

  /** Silences all, and abandons what is under way. */
  cancel(): void {
    this.#abort?.abort();
    // An abort cancels the runs under way.
    for (const { runner } of this.#open.values()) if (!runner.isRunning) runner.client.cancel();
  }

  stopRepeat(): void {
    for (const { runner } of this.#open.values()) runner.client.stopRepeat();
  }

  /** Applies `soundOf`. */
  protected applySound(): void {
    for (const [id, { runner }] of this.#open) {
      const { isHeard, gains } = this.soundOf(id);
      runner.setGains(gains);
      runner.sound.setHeard(isHeard);
    }
  }

  protected close(): void {
    this.#abort?.abort();
    this.#unfollow();
    for (const { runner } of this.#open.values()) runner.dispose();
    this.#open.clear();
  }

  /** Returns the runner of a side. A session with an unchanged configuration stays connected. */
  #runnerOf(id: Id, config: RunConfig): Runner {
    const open = this.#open.get(id);
    if (open && deepEqual(open.config, config)) return open.runner;
    open?.runner.dispose();
    const runner = new Runner(config);
    runner.sound.setHeard(false);
    // The first text waits for the other sides, and the gesture may be over then.
    runner.sound.wake();
    this.#open.set(id, { config, runner });
    return runner;
  }

  #unfollow(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#unsubscribe = [];
  }
}

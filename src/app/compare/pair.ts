import { deepEqual } from '#lib/deep-equal.ts';
import { type RunConfig, Runner } from '../session-client/runner.ts';
import { SIDES, type SideId } from './side.ts';

/** The two sessions of a comparison. A session with an unchanged configuration stays connected. */
export class Pair {
  readonly #open = new Map<SideId, { config: RunConfig; runner: Runner }>();

  /** The runner of a side; null before it was opened. */
  runner(side: SideId): Runner | null {
    return this.#open.get(side)?.runner ?? null;
  }

  /** Returns runners for exactly these configurations. Needs a gesture, because it opens sound outputs. */
  open(configs: Readonly<Record<SideId, RunConfig>>): Readonly<Record<SideId, Runner>> {
    const runnerOf = (side: SideId): Runner => {
      const config = configs[side];
      const there = this.#open.get(side);
      if (there && deepEqual(there.config, config)) return there.runner;
      there?.runner.close();
      const runner = new Runner(config, { muted: true });
      this.#open.set(side, { config, runner });
      return runner;
    };
    return { a: runnerOf('a'), b: runnerOf('b') };
  }

  /** Silences both, and abandons what is under way. */
  cancel(): void {
    for (const side of SIDES) this.runner(side)?.cancel();
  }

  close(): void {
    for (const { runner } of this.#open.values()) runner.close();
    this.#open.clear();
  }
}

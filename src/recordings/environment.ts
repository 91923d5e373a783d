import type { Clock } from '#lib/clock.ts';
import { RecordingStore } from './store/recording-store.ts';
import type { Searcher, SearchQuery } from './view/search.ts';
import { openWorkerSearcher } from './view/worker-searcher.ts';

/** What keeping recordings asks of the world around it. */
export interface RecordingEnvironment extends Clock {
  newId(): string;
  /** Rejects where there is no database, with a message for people. */
  openStore(lost: () => void): Promise<RecordingStore>;
  /** What the browser grants to this site and what of it is in use; null where it does not tell. */
  space(): Promise<Space | null>;
  claims: Claims;
  openSearcher(query: SearchQuery): Searcher;
}

export interface Space {
  usedBytes: number;
  quotaBytes: number;
}

/** Which recordings are being written by any tab, so that no other one deletes them to make room. */
export interface Claims {
  hold(id: string): void;
  release(id: string): void;
  held(): Promise<ReadonlySet<string>>;
}

const LOCK_PREFIX = 'voicewire-recording:';

/** Web Locks end with the tab that holds them, however it ends. Without them only this worker's own are known. */
class LockClaims implements Claims {
  readonly #releases = new Map<string, () => void>();

  hold(id: string): void {
    const promise = new Promise<void>((resolve) => {
      this.#releases.set(id, resolve);
    });
    // Where locks are refused (an opaque origin), the recording is as safe as without them.
    navigator.locks?.request(LOCK_PREFIX + id, () => promise).catch(() => {});
  }

  release(id: string): void {
    this.#releases.get(id)?.();
    this.#releases.delete(id);
  }

  async held(): Promise<ReadonlySet<string>> {
    const own = [...this.#releases.keys()];
    try {
      const { held = [] } = (await navigator.locks?.query()) ?? {};
      const names = held.flatMap(({ name }) => (name?.startsWith(LOCK_PREFIX) ? [name] : []));
      return new Set([...own, ...names.map((name) => name.slice(LOCK_PREFIX.length))]);
    } catch {
      return new Set(own);
    }
  }
}

export const browserRecordingEnvironment = (world: Clock): RecordingEnvironment => ({
  nowMs: () => world.nowMs(),
  after: (delayMs, task) => world.after(delayMs, task),
  newId: () => crypto.randomUUID(),
  openStore: (lost) => RecordingStore.open(lost),
  async space() {
    try {
      const { usage, quota } = (await navigator.storage?.estimate()) ?? {};
      return usage === undefined || quota === undefined ? null : { usedBytes: usage, quotaBytes: quota };
    } catch {
      return null;
    }
  },
  claims: new LockClaims(),
  openSearcher: openWorkerSearcher,
});

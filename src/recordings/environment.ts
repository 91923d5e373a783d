import { type Clock, systemClock } from '#lib/clock.ts';
import { type CallConnection, callWorker } from '#lib/worker-calls.ts';
import { loadProtocolOf } from '#protocol/protocols.ts';
import { fetchReference, type ReferenceSource } from '#trace/words/text-search.ts';
import { type CaptureHandlers, type CaptureSocket, openCaptureSocket } from './capture/capture-socket.ts';
import { HarThread } from './files/har-thread.ts';
import type { SoundCheck } from './sound/sound-check.ts';
import { RecordingStore } from './store/recording-store.ts';
import { SEARCHER } from './view/search.ts';

/** Clock, database and threads of the recordings, so that tests control them. */
export interface RecordingEnvironment extends Clock {
  newId(): string;
  /** Rejects with a message for people where there is no database. */
  openStore(lost: () => void): Promise<RecordingStore>;
  /** The site's quota and its use; null where the browser reports none. */
  space(): Promise<Space | null>;
  claims: Claims;
  openSearcher(): CallConnection<typeof SEARCHER>;
  openCapture(handlers: CaptureHandlers): CaptureSocket;
  openHar(): CallConnection<HarThread>;
  /** By which words are found in their sound. */
  reference: ReferenceSource;
  /** Loads the rules of sound. @param endpoint its registry name */
  openSoundCheck(endpoint: string): Promise<SoundCheck>;
}

export interface Space {
  usedBytes: number;
  quotaBytes: number;
}

/** Marks recordings that any tab is writing, so that no other tab deletes them to make room. */
export interface Claims {
  hold(id: string): void;
  release(id: string): void;
  held(): Promise<ReadonlySet<string>>;
}

const LOCK_PREFIX = 'voicewire-recording:';

/** Claims by Web Locks, which end with their tab. Without locks, only claims of this worker are known. */
class LockClaims implements Claims {
  readonly #releases = new Map<string, () => void>();

  hold(id: string): void {
    const promise = new Promise<void>((resolve) => {
      this.#releases.set(id, resolve);
    });
    // An opaque origin has no locks.
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

const onePieceWorker = () =>
  new Worker(new URL('./one-piece.worker.ts', import.meta.url), { type: 'module' });

export const browserRecordingEnvironment: RecordingEnvironment = {
  ...systemClock,
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
  openSearcher: () => callWorker(onePieceWorker, 'The worker that searches has stopped.', SEARCHER),
  openCapture: openCaptureSocket,
  openHar: () =>
    callWorker(
      onePieceWorker,
      'The worker that reads HAR files has stopped: the file may need too much memory.',
      new HarThread(),
    ),
  reference: fetchReference,
  async openSoundCheck(endpoint) {
    await loadProtocolOf(endpoint);
    const { SoundCheck } = await import('./sound/sound-check.ts');
    return new SoundCheck(
      endpoint,
      fetchReference,
      () => new Promise((resolve) => systemClock.after(0, resolve)),
    );
  },
};

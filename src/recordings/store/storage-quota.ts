import type { RecordingEnvironment } from '../environment.ts';
import type { StoredRecording } from './database.ts';
import type { RecordingStore } from './recording-store.ts';

/** Limits of all recordings, in bytes and as a share of the browser's quota. */
const MAX_STORED_BYTES = 4 * 2 ** 30;
const SHARE_OF_QUOTA = 0.5;

export interface StorageQuotaOptions {
  environment: Pick<RecordingEnvironment, 'space' | 'claims'>;
  /** Receives recordings that were deleted to make room. */
  evicted: (recordings: readonly StoredRecording[]) => void;
  maxStoredBytes?: number | undefined;
}

/** The storage that recordings may take. Evicts recordings for a live recording only, the oldest first. */
export class StorageQuota {
  readonly #environment: StorageQuotaOptions['environment'];
  readonly #evicted: StorageQuotaOptions['evicted'];
  readonly #maxStoredBytes: number;

  constructor({ environment, evicted, maxStoredBytes = MAX_STORED_BYTES }: StorageQuotaOptions) {
    this.#environment = environment;
    this.#evicted = evicted;
    this.#maxStoredBytes = maxStoredBytes;
  }

  /**
   * Deletes the oldest recordings until all are within the limits. Imports under way do not count.
   * @returns false where the rest, which must stay, takes more
   */
  async keepLimits(store: RecordingStore): Promise<boolean> {
    const excess = sumOf(await store.list()) - (await this.#limit()).bytes;
    return excess <= 0 || (await this.evict(store, excess)) >= excess;
  }

  /** Deletes at least that many bytes of the oldest recordings, where there are as many. Returns the deleted bytes. */
  async evict(store: RecordingStore, neededBytes: number): Promise<number> {
    const deleted = await store.makeRoom(neededBytes, await this.#environment.claims.held());
    if (deleted.length > 0) this.#evicted(deleted);
    return sumOf(deleted);
  }

  /** Returns the bytes that the recordings of an import may take. */
  async forImport(store: RecordingStore, own: ReadonlySet<string>): Promise<number> {
    const [listed, importing, limit] = await Promise.all([store.list(), store.importing(), this.#limit()]);
    const others = [...listed, ...importing.filter(({ id }) => !own.has(id))];
    const written = sumOf(importing.filter(({ id }) => own.has(id)));
    return Math.max(0, Math.min(limit.bytes - sumOf(others), limit.freeBytes + written));
  }

  /** `freeBytes`: what the browser still grants for any data of the page. */
  async #limit(): Promise<{ bytes: number; freeBytes: number }> {
    const space = await this.#environment.space();
    if (!space) return { bytes: this.#maxStoredBytes, freeBytes: Number.POSITIVE_INFINITY };
    const { quotaBytes, usedBytes } = space;
    return {
      bytes: Math.min(this.#maxStoredBytes, quotaBytes * SHARE_OF_QUOTA),
      freeBytes: quotaBytes - usedBytes,
    };
  }
}

const sumOf = (recordings: readonly StoredRecording[]): number =>
  recordings.reduce((sum, { storedBytes }) => sum + storedBytes, 0);

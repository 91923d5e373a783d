import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { RecordingInfo } from '#trace/entry.ts';
import type { BlockKind, PayloadBlock } from './payload-block.ts';

const DATABASE_NAME = 'voicewire-recordings';
const DATABASE_VERSION = 2;

export interface StoredRecording extends RecordingInfo {
  /** Size in the store: index and payloads. */
  storedBytes: number;
  /** Its number among the recordings of a long session, from 2 on; absent for the first. */
  part?: number;
}

/** A recording as the database holds it. */
export interface RecordingRow extends StoredRecording {
  /** Its file is not whole yet, so it is not listed. */
  isImporting?: true;
}

export interface IndexSegment {
  packed: Uint8Array<ArrayBuffer>;
  /** New names in these entries, in the order of their numbers. */
  names: string[];
}

export interface RecordingsSchema extends DBSchema {
  recordings: { key: string; value: RecordingRow };
  /** By recording and index of the first entry. */
  index: { key: [string, number]; value: IndexSegment };
  /** By recording, kind and index of the first entry. */
  payloads: { key: [string, BlockKind, number]; value: PayloadBlock };
  /** Recordings that were deleted to make room, until the page has shown them. */
  evicted: { key: string; value: StoredRecording };
}

export type RecordingsDatabase = IDBPDatabase<RecordingsSchema>;

/**
 * Opens the database. Rejects where the browser has or allows none, or another tab uses an older version.
 * @param lost called when the browser closes it, because its data was cleared or a newer page needs it
 */
export async function openDatabase(lost: () => void): Promise<RecordingsDatabase> {
  if (typeof indexedDB === 'undefined') throw new Error('This browser has no database for pages.');
  return new Promise((resolve, reject) => {
    openDB<RecordingsSchema>(DATABASE_NAME, DATABASE_VERSION, {
      upgrade(database, before) {
        if (before < 1) {
          database.createObjectStore('recordings', { keyPath: 'id' });
          database.createObjectStore('index');
          database.createObjectStore('payloads');
        }
        database.createObjectStore('evicted', { keyPath: 'id' });
      },
      blocked: () => reject(new Error('Another tab with an older version of this page is open.')),
      blocking(_current, _blocked, event) {
        (event.target as IDBDatabase | null)?.close();
        lost();
      },
      terminated: lost,
    }).then(resolve, reject);
  });
}

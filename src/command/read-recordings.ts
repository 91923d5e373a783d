import { openAsBlob } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAll } from '#lib/collections/arrays.ts';
import { messageOf } from '#lib/message-of.ts';
import { callHere } from '#lib/worker-calls.ts';
import { HarThread } from '#recordings/files/har-thread.ts';
import { importFile } from '#recordings/files/importer.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { CommandError } from './command-error.ts';
import { PayloadFile } from './payload-file.ts';

/** The recordings of a file, and sentences about it. */
interface ReadFile<T> {
  recordings: T[];
  /** About anything unexpected. */
  notes: readonly string[];
  /** Those of `notes` about parts that are damaged or cut off; empty for a whole file. */
  missing: readonly string[];
}

/**
 * Reads the recordings in a file of the own format or a HAR file, either also gzipped, one after the other. A damaged file is
 * read up to the damage.
 * @param endpoint registry name of the endpoint of recordings that have none
 * @param read takes the entries of a recording to their end
 * @throws CommandError that names the file
 */
export async function readRecordings<T>(
  path: string,
  endpoint: string | null,
  read: (info: RecordingInfo, entries: AsyncIterable<NewEntry>) => Promise<T>,
): Promise<ReadFile<T>> {
  const results: T[] = [];
  try {
    const { notes, missing = [] } = await importFile(
      await openFile(path),
      {
        async add(recordings) {
          for (const { info, entries } of recordings) results.push(await read(info, entries));
          return recordings.map(({ info }) => info.id);
        },
        async remove() {},
        find: async () => null,
      },
      {
        name: basename(path),
        once: false,
        split: 'endpoint',
        endpoint,
        yieldToLoop: async () => {},
        progressed: () => {},
        limits: { own: { salvages: true, names: Number.POSITIVE_INFINITY } },
        openHar: () => callHere(new HarThread()),
      },
    );
    return { recordings: results, notes, missing };
  } catch (error) {
    throw new CommandError(`${path}: ${messageOf(error)}`);
  }
}

/** Returns a file, whose parts are read from the disk as they are needed. A pipe is read at once. */
async function openFile(path: string): Promise<Blob> {
  const isFile = (await stat(path)).isFile();
  return isFile ? openAsBlob(path) : new Blob([new Uint8Array(await readFile(path))]);
}

/** Entries that are served: their heads are kept in memory. */
const MAX_SERVED_ENTRIES = 2_000_000;

/**
 * Reads recordings whole, also damaged ones, and keeps their payloads in a temporary file. `notes` names the files.
 * @throws CommandError where they have too many entries
 */
export async function readWhole<T>(
  paths: readonly string[],
  endpoint: string | null,
  use: (info: RecordingInfo, entries: readonly RecordEntry[], file: string) => Promise<T>,
): Promise<{ recordings: T[]; notes: string[] }> {
  const all: { recordings: T[]; notes: string[] } = { recordings: [], notes: [] };
  const payloads = new PayloadFile();
  let count = 0;
  for (const path of paths) {
    const keep = async (info: RecordingInfo, entries: AsyncIterable<NewEntry>) => {
      const own: RecordEntry[] = [];
      for await (const entry of entries) {
        count += 1;
        if (count > MAX_SERVED_ENTRIES)
          throw new CommandError(
            `expected at most ${MAX_SERVED_ENTRIES} entries in all, because they are kept in memory.`,
          );
        own.push(payloads.keep({ ...entry, index: own.length }));
      }
      return use(info, own, basename(path));
    };
    const { recordings, notes } = await readRecordings(path, endpoint, keep);
    addAll(all.recordings, recordings);
    addAll(
      all.notes,
      notes.map((note) => `${path}: ${note}`),
    );
  }
  return all;
}

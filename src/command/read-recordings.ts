import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAll } from '#lib/collections/arrays.ts';
import { messageOf } from '#lib/message-of.ts';
import { callHere } from '#lib/worker-calls.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#record/record.ts';
import { HarThread } from '#recordings/files/har-thread.ts';
import { importFile } from '#recordings/files/importer.ts';
import { CommandError } from './command-error.ts';

/**
 * Reads the recordings in a file of the own format or a HAR file, either also gzipped, one after the other.
 * @param salvages reads a damaged file up to the damage, which a sentence names
 * @param read takes the entries of a recording to their end
 * @returns the results, and sentences about what the file lacks
 * @throws CommandError that names the file
 */
export async function readRecordings<T>(
  path: string,
  read: (info: RecordingInfo, entries: AsyncIterable<NewEntry>) => Promise<T>,
  salvages = false,
): Promise<{ recordings: T[]; notes: readonly string[] }> {
  const results: T[] = [];
  try {
    const { notes } = await importFile(
      new Blob([new Uint8Array(await readFile(path))]),
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
        yieldToLoop: async () => {},
        progressed: () => {},
        limits: { own: { salvages } },
        openHar: () => callHere(new HarThread()),
      },
    );
    return { recordings: results, notes };
  } catch (error) {
    throw new CommandError(`${path}: ${messageOf(error)}`);
  }
}

/** Recordings that are served are kept in memory. */
const MAX_SERVED_BYTES = 512 * 1024 * 1024;

/** Reads recordings whole, also damaged ones. `notes` names the files. @throws CommandError where they take too much memory */
export async function readWhole<T>(
  paths: readonly string[],
  use: (info: RecordingInfo, entries: readonly RecordEntry[], file: string) => Promise<T>,
): Promise<{ recordings: T[]; notes: string[] }> {
  const all: { recordings: T[]; notes: string[] } = { recordings: [], notes: [] };
  let bytes = 0;
  for (const path of paths) {
    bytes += (await stat(path).catch(() => null))?.size ?? 0;
    if (bytes > MAX_SERVED_BYTES)
      throw new CommandError(
        `${path}: expected at most ${MAX_SERVED_BYTES / 2 ** 20} MiB of recordings, because they are kept in memory.`,
      );
    const keep = async (info: RecordingInfo, entries: AsyncIterable<NewEntry>) => {
      const own: RecordEntry[] = [];
      for await (const entry of entries) own.push({ ...entry, index: own.length });
      return use(info, own, basename(path));
    };
    const { recordings, notes } = await readRecordings(path, keep, true);
    addAll(all.recordings, recordings);
    addAll(
      all.notes,
      notes.map((note) => `${path}: ${note}`),
    );
  }
  return all;
}

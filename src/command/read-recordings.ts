import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '#lib/message-of.ts';
import { callHere } from '#lib/worker-calls.ts';
import type { NewEntry, RecordingInfo } from '#record/record.ts';
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

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { callHere } from '#lib/worker-calls.ts';
import type { Finding, Rule, Severity } from '#protocol/core/rule.ts';
import { EntryLinter } from '#record/entry-linter.ts';
import type { NewEntry, RecordingInfo } from '#record/record.ts';
import { HarThread } from '#recordings/files/har-thread.ts';
import { importFile } from '#recordings/files/importer.ts';
import { CommandError } from './command-error.ts';

/** Findings kept of one recording; further ones are counted. */
const MAX_FINDINGS = 10_000;

/** A recording and what is wrong with it. */
export interface CheckedRecording {
  /** Path as the person wrote it. */
  file: string;
  name: string;
  endpoint: string;
  entries: number;
  /** Entries that could not be checked, because earlier ones of their connection are missing. */
  unread: number;
  /** Rules of its endpoint; none for an unknown one. */
  rules: readonly Rule[];
  /** The first {@link MAX_FINDINGS}. */
  findings: readonly Finding[];
  /** All findings. */
  counts: Readonly<Record<Severity, number>>;
}

/** Checks the recordings in a file of the own format or a HAR file. @throws CommandError that names the file */
export async function checkFile(path: string): Promise<CheckedRecording[]> {
  const checked: CheckedRecording[] = [];
  try {
    const file = new Blob([new Uint8Array(await readFile(path))]);
    await importFile(
      file,
      {
        async add(recordings) {
          for (const { info, entries } of recordings) checked.push(await check(path, info, entries));
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
        openHar: () => callHere(new HarThread()),
      },
    );
  } catch (error) {
    throw new CommandError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return checked;
}

async function check(
  file: string,
  { name, endpoint }: RecordingInfo,
  entries: AsyncIterable<NewEntry>,
): Promise<CheckedRecording> {
  const linter = new EntryLinter(endpoint);
  const findings: Finding[] = [];
  const counts = { violation: 0, warning: 0, advice: 0 };
  let index = 0;
  for await (const entry of entries) {
    for (const finding of linter.take({ ...entry, index }, entry.payload)) {
      counts[finding.severity] += 1;
      if (findings.length < MAX_FINDINGS) findings.push(finding);
    }
    index += 1;
  }
  const { rules, unread } = linter;
  return { file, name, endpoint, entries: index, unread, rules, findings, counts };
}

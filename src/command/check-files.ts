import { addAll } from '#lib/collections/arrays.ts';
import type { Finding, Rule, Severity } from '#protocol/core/rule.ts';
import { loadRules } from '#protocol/rules.ts';
import { SoundCheck } from '#recordings/sound/sound-check.ts';
import { openReferences } from '#server/speech/reference-speech.ts';
import type { NewEntry, RecordingInfo } from '#trace/entry.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import type { ReferenceSource } from '#trace/words/text-search.ts';
import { readRecordings } from './read-recordings.ts';

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
  /** Sentences about parts of its file that are damaged or cut off, with the first recording of the file. */
  missing: readonly string[];
  /** All findings. */
  counts: Readonly<Record<Severity, number>>;
}

/**
 * Checks the recordings in files of the own format or HAR files, each up to where it is damaged.
 * @param endpoint of recordings that have none
 * @throws CommandError that names the file
 */
export async function checkFiles(
  paths: readonly string[],
  endpoint: string | null = null,
): Promise<CheckedRecording[]> {
  await loadRules();
  const references = openReferences();
  try {
    const all: CheckedRecording[] = [];
    for (const path of paths) {
      const { recordings, missing } = await readRecordings(path, endpoint, (info, entries) =>
        check(path, info, entries, references.source),
      );
      addAll(
        all,
        recordings.map((recording, at) => (at === 0 ? { ...recording, missing } : recording)),
      );
    }
    return all;
  } finally {
    await references.close();
  }
}

async function check(
  file: string,
  { name, endpoint }: RecordingInfo,
  entries: AsyncIterable<NewEntry>,
  reference: ReferenceSource,
): Promise<CheckedRecording> {
  const linter = new EntryLinter(endpoint);
  const findings: Finding[] = [];
  const counts = { violation: 0, warning: 0, advice: 0 };
  const found = (more: readonly Finding[]): void => {
    for (const finding of more) {
      counts[finding.severity] += 1;
      if (findings.length < MAX_FINDINGS) findings.push(finding);
    }
  };
  const sound = new SoundCheck(endpoint, reference);
  let index = 0;
  for await (const entry of entries) {
    found(linter.take({ ...entry, index }, entry.payload));
    if (linter.rules.length > 0) found(await sound.take(entry, index));
    index += 1;
  }
  found(await sound.end());
  const { unread } = linter;
  const rules = linter.rules.length > 0 ? [...linter.rules, ...sound.rules] : [];
  return { file, name, endpoint, entries: index, unread, rules, findings, counts, missing: [] };
}

import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { writeHar } from '#recordings/files/har-writer.ts';
import { KeptImports } from '#recordings/files/testing/kept-imports.ts';
import { RecordingWorld } from '#recordings/testing/world.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import { joinedText } from '#trace/files/testing/recordings.ts';
import { Broken, type FuzzPart } from '../fuzz-part.ts';
import { editedJson } from '../mutation/json-tree.ts';
import {
  type ByteDamage,
  byteDamages,
  damagedBytes,
  type Patch,
  patches,
  reordered,
  reorders,
} from '../mutation/mutations.ts';
import { importInto } from './file-agreement.ts';
import { checkRecording } from './recording-check.ts';
import { readSamples, type SampleSession } from './server-scripts.ts';

export interface FileCase {
  format: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Enough for every kind of entry, and few enough for thousands of files. */
const MOST_ENTRIES = 25;
const MOST_PATCHES = 3;

const FIELDS = [
  ...[
    'format',
    'version',
    'info',
    'entries',
    'atUs',
    'direction',
    'connection',
    'opcode',
    'bytes',
    'kind',
    'text',
  ],
  ...[
    'base64',
    'turn',
    'context',
    'chunk',
    'audioMs',
    'end',
    'endpoint',
    'address',
    'startedAtMs',
    'durationUs',
  ],
  ...['log', '_webSocketMessages', '_voicewire', 'request', 'url', 'time', 'data', 'type', 'startedDateTime'],
];

/** A valid file: JSON values, a line each. */
interface ValidFile {
  format: string;
  lines: readonly string[];
}

async function filesOf({ info, entries }: SampleSession): Promise<ValidFile[]> {
  const some = entries.slice(0, MOST_ENTRIES);
  const own = await joinedText(writeRecording({ ...info, entries: some.length }, some));
  const har = await joinedText(writeHar(info, () => some));
  return [
    { format: 'own', lines: own.trimEnd().split('\n') },
    { format: 'HAR', lines: [har] },
  ];
}

/** Mutated files of both formats, also packed, to the importer; what it accepts must be readable. */
export async function filesPart(): Promise<FuzzPart<FileCase>> {
  const files = (await Promise.all(readSamples().map(filesOf))).flat();
  return {
    name: 'files',
    cases: fc
      .record({
        file: fc.constantFrom(...files),
        changes: patches(FIELDS, MOST_PATCHES),
        order: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: reorders }),
        damage: fc.option(byteDamages, { freq: 3 }),
        isPacked: fc.boolean(),
        packedDamage: fc.option(byteDamages, { freq: 4 }),
      })
      .map(({ file, changes, order, damage, isPacked, packedDamage }) => {
        const text = `${reordered(changedLines(file.lines, changes), order).join('\n')}\n`;
        const bytes = maybeDamaged(new Uint8Array(Buffer.from(text)), damage);
        const packed = isPacked ? maybeDamaged(new Uint8Array(gzipSync(bytes)), packedDamage) : bytes;
        return { format: `${file.format}${isPacked ? ', packed' : ''}`, bytes: packed };
      }),
    sizeOf: () => 1,
    check: importOne,
    describe: ({ format, bytes }) =>
      `${format}, ${bytes.length} bytes: ${Buffer.from(bytes).toString('base64')}`,
  };
}

const maybeDamaged = (bytes: Uint8Array<ArrayBuffer>, damage: ByteDamage | null): Uint8Array<ArrayBuffer> =>
  damage ? damagedBytes(bytes, damage) : bytes;

function changedLines(lines: readonly string[], changes: readonly Patch[]): string[] {
  const all = [...lines];
  for (const { at: anyAt, edits } of changes) {
    const at = anyAt % all.length;
    // Only the first change of a line, since edited text may be no JSON.
    if (all[at] === lines[at]) all[at] = editedJson(JSON.parse(lines[at] ?? 'null'), edits);
  }
  return all;
}

async function importOne({ bytes }: FileCase): Promise<void> {
  const store = new KeptImports();
  const outcome = await importInto(store, new Blob([bytes])).catch((error: unknown) => error);
  if (outcome instanceof ImportError) {
    if (store.kept.size > 0)
      throw new Broken(`expected nothing of a refused file, got ${store.kept.size} recordings`);
    if (!/^Line \d+.*expected .*found /s.test(outcome.message)) {
      throw new Broken(`expected a refusal with a place, got ${outcome.message}`);
    }
    return;
  }
  if (outcome instanceof Error) throw new Broken(`expected an import or a refusal, got ${outcome.stack}`);
  if (store.kept.size === 0) throw new Broken('expected a recording of an accepted file, got none');
  for (const entries of store.kept.values()) {
    const world = new RecordingWorld({ hasDatabase: false });
    world.record(entries);
    await checkRecording(world);
  }
}

import { madeOnce } from '#lib/collections/maps.ts';
import { deepEqual } from '#lib/deep-equal.ts';
import { callHere } from '#lib/worker-calls.ts';
import type { Finding } from '#protocol/core/rule.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { ExportFormatId } from '#recordings/files/export-formats.ts';
import { exportRecording } from '#recordings/files/exporter.ts';
import { HarThread } from '#recordings/files/har-thread.ts';
import { importFile } from '#recordings/files/importer.ts';
import { KeptImports } from '#recordings/files/testing/kept-imports.ts';
import type { Recordings } from '#recordings/recordings.ts';
import { SoundCheck } from '#recordings/sound/sound-check.ts';
import type { RecordingWorld } from '#recordings/testing/world.ts';
import { openingOf } from '#trace/connection.ts';
import type { NewEntry, RecordEntry } from '#trace/entry.ts';
import { EntryLinter } from '#trace/entry-linter.ts';
import { byteLength } from '#trace/frame-size.ts';
import { Trace } from '#trace/trace.ts';
import { Broken } from '../fuzz-part.ts';

/**
 * Exports a recording in both formats that are imported again.
 * @param entries as its session recorded them
 * @param live the findings of the recordings worker
 * @throws Broken where a file of this program has other entries or findings, or where a HAR file without its fields has other
 *   frames or turns than {@link carriedByHar} leaves
 */
export async function checkFiles(
  { recordings, view }: RecordingWorld,
  entries: readonly NewEntry[],
  live: readonly Finding[],
): Promise<void> {
  const id = view.shown?.recording?.id ?? '';
  const { info, index } = await recordings.open(id);
  const kept = entries.map((entry, at): NewEntry => {
    const { index: _, ...head } = index.head(at);
    // The index bounds numbers.
    return (entry.chunk ?? 0) >= 2 ** 31 ? { ...head, payload: entry.payload } : entry;
  });
  for (const format of ['voicewire', 'har'] as const) {
    const [read = []] = await imported(await exported(recordings, id, format));
    checkEntries(`its ${format} file`, read, kept);
    checkEntries(`its findings from its ${format} file`, await findingsOf(info.endpoint, read), live);
  }
  const har = JSON.parse(await exported(recordings, id, 'har'), (name, value) =>
    name === '_voicewire' ? undefined : value,
  );
  const carried = carriedByHar(info.endpoint, entries);
  if (carried.length === 0) return;
  const [read = []] = await imported(JSON.stringify(har), info.endpoint);
  checkEntries('its HAR file of another program', read.map(withoutAddress), carried.map(withoutAddress));
}

/** A source without references, so that no words are searched. */
const noReference = async (): Promise<null> => null;

async function exported(recordings: Recordings, id: string, format: ExportFormatId): Promise<string> {
  const { files } = await exportRecording(
    await recordings.open(id),
    format,
    { context: null },
    async () => {},
    noReference,
  );
  const [file] = files;
  if (!file) throw new Broken(`expected a ${format} file, got none`);
  return file.blob.text();
}

/** Imports a file into a store. @param endpoint of recordings that have none */
export const importInto = (store: KeptImports, file: Blob, endpoint: string | null = null) =>
  importFile(file, store, {
    name: 'file',
    once: false,
    split: 'endpoint',
    endpoint,
    yieldToLoop: async () => {},
    progressed: () => {},
    openHar: () => callHere(new HarThread()),
  });

async function imported(text: string, endpoint: string | null = null): Promise<NewEntry[][]> {
  const store = new KeptImports();
  await importInto(store, new Blob([text]), endpoint);
  return [...store.kept.values()].map((entries) =>
    entries.map(({ index: _, ...entry }: Partial<RecordEntry> & NewEntry) => entry),
  );
}

/** The findings in entries that are known to their last, as `voicewire lint` reads them. */
async function findingsOf(endpoint: string, entries: readonly NewEntry[]): Promise<Finding[]> {
  const linter = new EntryLinter(endpoint);
  const sound = new SoundCheck(endpoint, noReference);
  const findings: Finding[] = [];
  for (const [index, entry] of entries.entries()) {
    findings.push(...linter.take({ ...entry, index }, entry.payload));
    if (linter.rules.length > 0) findings.push(...(await sound.take(entry, index)));
  }
  await sound.end();
  return findings.sort((a, b) => a.frame - b.frame);
}

/**
 * The entries that a HAR file of any program carries, noted as by {@link Trace}: the address of each connection and its
 * messages, by their times. It has no closes, refused handshakes, audio formats, records of the player or of the person, no
 * sizes of frames before their keys were replaced, and no turns of the session.
 */
function carriedByHar(endpoint: string, entries: readonly NewEntry[]): NewEntry[] {
  const connections = new Map<number, NewEntry[]>();
  for (const entry of entries) {
    if (entry.direction !== 'player') madeOnce(connections, entry.connection, () => []).push(entry);
  }
  const carried = [...connections.values()]
    .filter((of) => of.some(isFrame))
    .flatMap((of, at) => {
      const kept = of.filter((entry) => openingOf(entry) !== null || isFrame(entry));
      return kept.map((entry): NewEntry => ({ ...entry, connection: at + 1 }));
    })
    .sort((a, b) => a.atUs - b.atUs);
  const trace = new Trace(endpointNamed(endpoint));
  const startUs = carried[0]?.atUs ?? 0;
  return carried.map((entry) => {
    const opening = openingOf(entry);
    const payload = opening ? JSON.stringify({ address: opening.address }) : entry.payload;
    const bare = { ...entry, payload, atUs: entry.atUs - startUs };
    const bytes = opening ? 0 : byteLength(payload);
    return { ...bare, bytes, ...trace.append(bare).note };
  });
}

const isFrame = ({ direction }: NewEntry): boolean => direction === 'in' || direction === 'out';

/** An import has the address in its own spelling. */
const withoutAddress = (entry: NewEntry): NewEntry =>
  entry.direction === 'connection' ? { ...entry, payload: '' } : entry;

function checkEntries(what: string, found: readonly object[], expected: readonly object[]): void {
  for (let at = 0; at < Math.max(found.length, expected.length); at += 1) {
    const [has = {}, wanted = {}] = [found[at], expected[at]];
    if (deepEqual(has, wanted)) continue;
    const differing = (one: object, other: object) =>
      JSON.stringify(
        Object.fromEntries(
          Object.entries(one).filter(([name, value]) => !deepEqual(value, Reflect.get(other, name))),
        ),
      );
    throw new Broken(
      `${what}: expected ${differing(wanted, has)} at ${at} of ${expected.length}, got ${differing(has, wanted)} of ${found.length}`,
    );
  }
}

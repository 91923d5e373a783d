import { expect, it } from 'vitest';
import { newEntry, RecordingWorld, recordedEntries, START } from '../testing/world.ts';
import { FrameIndex } from './frame-index.ts';
import { blockOf } from './payload-block.ts';
import { RecordingStore } from './recording-store.ts';

it('opens a recording of earlier versions, whose blocks of sound and text begin at entries of their own', async () => {
  const world = new RecordingWorld();
  const entries = ['words', 'audio', 'audio', 'words', 'audio'].map((kind, at) =>
    newEntry({ kind, payload: kind === 'audio' ? Uint8Array.of(at) : `${at}` }),
  );
  const index = new FrameIndex();
  for (const entry of entries) index.append(entry);
  const block = (...of: number[]) => blockOf(of.map((at) => [at, entries[at]?.payload ?? '']));
  const store = await RecordingStore.open(() => undefined);
  const { length, durationUs, bytes } = index;
  await store.write({
    info: {
      ...START,
      id: 'old',
      name: '',
      durationUs,
      entries: length,
      bytes,
      pinned: false,
      storedBytes: 1,
    },
    isImport: false,
    isFirst: true,
    segments: [
      { first: 0, segment: { packed: index.pack(0, 2), names: ['words', 'audio'] } },
      { first: 2, segment: { packed: index.pack(2, length), names: [] } },
    ],
    blocks: [
      { kind: 0, first: 0, block: block(0, 3) },
      { kind: 1, first: 1, block: block(1, 2) },
      { kind: 1, first: 4, block: block(4) },
    ],
  });
  const read: unknown[] = [];
  for await (const { payload } of recordedEntries(world.recordings, 'old')) read.push(payload);
  expect(read).toEqual(entries.map(({ payload }) => payload));
});

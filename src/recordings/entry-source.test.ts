import { describe, expect, it } from 'vitest';
import { type EntriesOfRecording, EntrySource } from './entry-source.ts';
import type { ShownEntry } from './store/payload-reader.ts';
import { newEntry, RecordingWorld } from './testing/world.ts';

const sourceOf = (length: number, entry: (index: number) => Promise<ShownEntry>) =>
  new EntrySource(async (): Promise<EntriesOfRecording> => ({ index: { length }, reader: { entry } }));

const shown = (index: number, payload: string): ShownEntry => ({ ...newEntry({ payload }), index });

async function all(source: EntrySource) {
  const entries: ShownEntry[] = [];
  const sizes: number[] = [];
  for (;;) {
    const batch = await source.batch(entries.length);
    entries.push(...batch.entries);
    sizes.push(batch.entries.length);
    if (batch.isLast) return { entries, sizes };
  }
}

describe('entries of a recording', () => {
  it('come all, in order, in batches, each read once', async () => {
    let looked = 0;
    const { entries, sizes } = await all(
      sourceOf(3000, async (index) => {
        looked += 1;
        return shown(index, 'x');
      }),
    );
    expect(entries.map(({ index }) => index)).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    expect(sizes).toEqual([1024, 1024, 952]);
    expect(looked).toBe(3000);
  });

  it('open again after a failure', async () => {
    const failures = [new Error('The database is blocked.')];
    const source = new EntrySource(async () => {
      const failure = failures.pop();
      if (failure) throw failure;
      return { index: { length: 1 }, reader: { entry: async (index) => shown(index, 'x') } };
    });
    await expect(source.batch(0)).rejects.toThrow('The database is blocked.');
    expect((await source.batch(0)).entries).toHaveLength(1);
  });

  it('are no more than a megabyte at a time, and one at least', async () => {
    const large = 'x'.repeat(700_000);
    expect((await all(sourceOf(3, async (index) => shown(index, large)))).sizes).toEqual([2, 1]);
  });

  it('are none of a recording that is empty', async () => {
    expect(await sourceOf(0, async (index) => shown(index, '')).batch(0)).toEqual({
      entries: [],
      isLast: true,
      tail: null,
    });
  });

  it('say why they cannot be read', async () => {
    const source = new EntrySource(() => Promise.reject(new Error('It is gone.')));
    await expect(source.batch(0)).rejects.toThrow('It is gone.');
  });

  it('are those of what is being recorded, as many as there are then, and of what is stored', async () => {
    const world = new RecordingWorld();
    world.record([newEntry({ payload: 'a' }), newEntry({ payload: 'b' })]);
    await world.settle();
    const id = world.view.recorder?.recording ?? '';
    const live = new EntrySource(() => world.recordings.open(id));
    expect(await live.batch(0)).toMatchObject({
      entries: [{ payload: 'a' }, { payload: 'b' }],
      isLast: true,
    });
    world.record([newEntry({ payload: 'c' })]);
    expect(await live.batch(1)).toMatchObject({ entries: [{ index: 1, payload: 'b' }], isLast: true });
    await world.advance(1000);
    world.reload();
    const stored = new EntrySource(() => world.recordings.open(id));
    expect(await stored.batch(2)).toMatchObject({ entries: [{ index: 2, payload: 'c' }], isLast: true });
    await expect(world.recordings.open('none')).rejects.toThrow();
  });
});

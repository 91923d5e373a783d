import { describe, expect, it, vi } from 'vitest';
import { bytes } from '#lib/format.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import { infoOf, joinedText } from '#trace/files/testing/recordings.ts';
import { devToolsHar, socketEntry } from './files/testing/devtools-har.ts';
import { RecordingStore } from './store/recording-store.ts';
import { newEntry, RecordingWorld } from './testing/world.ts';

const LONG_ENOUGH_MS = 1000;
/** A payload, its place and the row of its entry. */
const FRAME_BYTES = 10_000 + 8 + 41;

const frame = (atUs = 0) => newEntry({ atUs, payload: 'x'.repeat(10_000) });

/** A world with sessions of one frame each, the oldest first. */
async function worldWith(count: number, limits: ConstructorParameters<typeof RecordingWorld>[0] = {}) {
  const world = new RecordingWorld(limits);
  for (let i = 0; i < count; i += 1) await session(world, i);
  return world;
}

async function session(world: RecordingWorld, startedAtMs: number): Promise<void> {
  world.begin({ startedAtMs });
  await world.keep([frame()]);
}

const startsOf = async (world: RecordingWorld): Promise<number[]> =>
  (await world.list()).map(({ startedAtMs }) => startedAtMs);

/** A recording of that many frames as a file. */
async function fileOf(frames: number): Promise<Blob> {
  const entries = Array.from({ length: frames }, (_, index) => ({ ...frame(index), index }));
  return new Blob([await joinedText(writeRecording(infoOf(entries), entries))]);
}

const imported = (world: RecordingWorld, file: Blob) =>
  world.exchange({ kind: 'import', file, name: 'file', once: false, split: 'endpoint' });

const noRoom = (sizes: RegExp) => ({
  kind: 'failed',
  problem: expect.stringMatching(
    new RegExp(
      `^There is no room to store it: ${sizes.source}\\. Delete recordings .* open the file again\\.$`,
    ),
  ),
});

describe('An import without room', () => {
  it.each<[string, (world: RecordingWorld) => void, RegExp]>([
    [
      'within the own limit',
      (world) => {
        world.limits.maxStoredBytes = 100_000;
        world.reload();
      },
      /it takes at least 1\.0 MB, and 69\.9 kB are left for recordings/,
    ],
    [
      'within the share of the quota',
      (world) => {
        world.quotaBytes = 120_000;
      },
      /it takes at least 1\.0 MB, and 29\.9 kB are left for recordings/,
    ],
    [
      'beside other data of the site',
      (world) => {
        world.quotaBytes = 1_000_000;
        world.usedBytes = 980_000;
      },
      /it takes at least 1\.0 MB, and 20\.0 kB are left for recordings/,
    ],
    [
      'on the disk',
      (world) => world.failToWrite('QuotaExceededError', 9),
      /it takes at least 1\.0 MB, and the browser grants this page no more/,
    ],
  ])('%s deletes nothing, leaves nothing behind, and says how much it takes', async (_, fill, sizes) => {
    const world = await worldWith(3);
    const before = await world.rows();
    fill(world);
    expect(await imported(world, await fileOf(100))).toEqual({ ...noRoom(sizes), place: null });
    expect(await startsOf(world)).toEqual([2, 1, 0]);
    expect(await world.rows()).toBe(before);
    expect(world.view.evicted ?? []).toEqual([]);
  });

  it('says how much it takes where its first line does not', async () => {
    const world = await worldWith(1, { maxStoredBytes: 100_000 });
    const text = (await (await fileOf(100)).text()).replace(
      /"entries":\d+,"bytes":\d+/,
      '"entries":0,"bytes":0',
    );
    const read = bytes(100 * FRAME_BYTES);
    expect(await imported(world, new Blob([text]))).toMatchObject({
      problem: expect.stringContaining(`takes at least ${read}`),
    });
  });

  it('has the rest of the limit, and not a byte more', async () => {
    const maxStoredBytes = 13 * FRAME_BYTES;
    const world = await worldWith(3, { maxStoredBytes });
    expect(await imported(world, await fileOf(11))).toMatchObject({ kind: 'failed' });
    expect(await imported(world, await fileOf(10))).toMatchObject({ kind: 'imported' });
    expect(await startsOf(world)).toHaveLength(4);
  });
});

describe('An import under way', () => {
  /** A file that is read up to its middle, until it is released. */
  async function heldFile(frames: number) {
    const whole = new Uint8Array(await (await fileOf(frames)).arrayBuffer());
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const file = new Blob([whole]);
    file.stream = () =>
      new ReadableStream({
        async start(controller) {
          controller.enqueue(whole.slice(0, whole.length * 0.75));
          await released;
          controller.enqueue(whole.slice(whole.length * 0.75));
          controller.close();
        },
      });
    return { file, release };
  }

  /** An import that has written two thirds of its file. */
  async function half(world: RecordingWorld) {
    const { file, release } = await heldFile(900);
    const abort = new AbortController();
    // Called directly, because a Blob is cloned on its way to the worker.
    const outcome = world.recordings.exchange(
      { kind: 'import', file, name: 'file', once: false, split: 'endpoint' },
      () => {},
      abort.signal,
    );
    const before = await world.rows();
    while ((await world.rows()) === before) await world.advance(20);
    return {
      async end() {
        release();
        await world.advance(LONG_ENOUGH_MS);
        return outcome;
      },
    };
  }

  it('that ends with its tab is deleted when a page opens next, and not before', async () => {
    const world = await worldWith(1);
    const before = await world.rows();
    await half(world);
    const written = await world.rows();
    world.heldElsewhere.add('recording-2');
    world.reload();
    await world.settle();
    expect(await world.rows()).toBe(written);
    world.heldElsewhere.clear();
    world.reload();
    await world.settle();
    expect(await world.rows()).toBe(before);
    expect(await startsOf(world)).toEqual([0]);
  });

  it('is not listed, and deletes no recording by the room that it takes from the live one', async () => {
    const world = await worldWith(3, { maxStoredBytes: 600 * FRAME_BYTES });
    await half(world);
    await session(world, 3);
    expect(await startsOf(world)).toEqual([3, 2, 1, 0]);
  });

  it('has room for what the disk grants beside its own rows, which the browser counts as used', async () => {
    const world = await worldWith(1);
    const grant = (frames: number): void => {
      world.usedBytes = 9.4e8 - frames * FRAME_BYTES;
    };
    world.quotaBytes = 9.4e8;
    // Enough for the first write of 512 frames, and not for all 900.
    grant(600);
    const { end } = await half(world);
    // Other data of the site is gone.
    grant(500);
    expect(await end()).toMatchObject({ kind: 'imported' });
  });

  it('is given up before a recording is deleted on a full disk', async () => {
    const world = await worldWith(3);
    const { end } = await half(world);
    world.failToWrite('QuotaExceededError', 1);
    await session(world, 3);
    expect(await end()).toMatchObject({
      kind: 'failed',
      problem: expect.stringMatching(/no room to store it/),
    });
    expect(await startsOf(world)).toEqual([3, 2, 1, 0]);
    expect(world.view.evicted ?? []).toEqual([]);
    expect(world.view.recorder?.message).toBeNull();
  });

  it('reports no success where it is given up while its end is stored', async () => {
    const world = await worldWith(3);
    const { publish } = RecordingStore.prototype;
    const spy = vi.spyOn(RecordingStore.prototype, 'publish').mockImplementation(async function (
      this: RecordingStore,
      ids,
    ) {
      await publish.call(this, ids);
      world.failToWrite('QuotaExceededError', 1);
      world.begin({ startedAtMs: 3 });
      world.record([frame()]);
      world.recordings.flush();
      await world.settle();
    });
    const outcome = await imported(world, await fileOf(10)).finally(() => spy.mockRestore());
    expect(outcome).toMatchObject({ kind: 'failed', problem: expect.stringMatching(/no room to store it/) });
    expect(await startsOf(world)).toEqual([3, 2, 1, 0]);
  });
});

describe('An import with a frame beyond the memory', () => {
  it.each<[string, number[], object]>([
    [
      'is refused for that reason',
      [700_000],
      {
        kind: 'failed',
        problem: 'A frame is larger than 67.1 MB, the most that can be stored.',
      },
    ],
    ['is none where only several together exceed it', [100_000, 450_000, 450_000], { kind: 'imported' }],
  ])('%s', async (_, sizes, outcome) => {
    const world = new RecordingWorld({ memoryBytes: 500_000 });
    const messages = sizes.map((size, at) => ({
      type: 'receive',
      time: 1_700_000_000 + at,
      opcode: 1,
      data: 'x'.repeat(size),
    }));
    const har = new Blob([devToolsHar([socketEntry('wss://api.murmr.dev/v1/realtime', messages)])]);
    expect(await imported(world, har)).toMatchObject(outcome);
    expect(await startsOf(world)).toHaveLength(sizes.length > 1 ? 1 : 0);
  });
});

describe('A live recording without room', () => {
  it.each<[string, number, (world: RecordingWorld) => void, number[], number[]]>([
    [
      'the oldest that are not pinned, within the own limit',
      3,
      (world) => {
        world.limits.maxStoredBytes = 35_000;
        world.reload();
        void world.calls.change('recording-1', { pinned: true });
      },
      [3, 4],
      [4, 3, 2, 0],
    ],
    [
      'none that another tab records',
      2,
      (world) => {
        world.limits.maxStoredBytes = 15_000;
        world.heldElsewhere.add('recording-2');
        world.reload();
      },
      [9],
      [9, 1],
    ],
    [
      'all beyond half of what the browser grants',
      1,
      (world) => {
        world.quotaBytes = 15_000;
      },
      [9],
      [9],
    ],
    [
      'as many as a write on a full disk needs',
      3,
      (world) => world.failToWrite('QuotaExceededError', 1),
      [9],
      [9, 2, 1],
    ],
    [
      'no more where deleted bytes are freed late',
      3,
      (world) => world.failToWrite('QuotaExceededError', 4),
      [9],
      [9, 2, 1],
    ],
    [
      'more where several seconds free too little',
      3,
      (world) => world.failToWrite('QuotaExceededError', 5),
      [9],
      [9],
    ],
  ])('deletes %s', async (_, count, prepare, further, left) => {
    const world = await worldWith(count);
    prepare(world);
    await world.settle();
    for (const startedAtMs of further) await session(world, startedAtMs);
    await world.advance(10_000);
    expect(await startsOf(world)).toEqual(left);
    expect(world.view.recorder?.message).toBeNull();
  });

  it('reports what was deleted for it, newest first, until that is forgotten, also after a reload', async () => {
    const world = await worldWith(3, { maxStoredBytes: 3.5 * FRAME_BYTES });
    void world.calls.change('recording-1', { name: 'Glitch' });
    await session(world, 3);
    expect(world.view.evicted ?? []).toEqual([]);
    await session(world, 4);
    expect(world.view.evicted).toMatchObject([{ name: 'Glitch', startedAtMs: 0, entries: 1 }]);
    world.failToWrite('QuotaExceededError', 1);
    await session(world, 5);
    expect(world.view.evicted?.map(({ startedAtMs }) => startedAtMs)).toEqual([2, 1, 0]);
    expect(await startsOf(world)).toEqual([5, 4, 3]);
    world.reload();
    await world.settle();
    expect(world.view.evicted?.map(({ name }) => name)).toEqual(['', '', 'Glitch']);
    void world.calls.forgetEvicted();
    await world.settle();
    expect(world.view.evicted).toEqual([]);
    world.reload();
    await world.settle();
    expect(world.view.evicted).toEqual([]);
  });

  it('is made where nothing can be written before something is deleted', async () => {
    const world = await worldWith(3);
    const { put, delete: remove } = IDBObjectStore.prototype;
    let isFull = true;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...asked) {
      if (isFull) throw new DOMException('', 'QuotaExceededError');
      return put.apply(this, asked);
    });
    vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function (
      this: IDBObjectStore,
      ...asked
    ) {
      this.transaction.addEventListener('complete', () => {
        isFull = false;
      });
      return remove.apply(this, asked);
    });
    await session(world, 3).finally(() => vi.restoreAllMocks());
    expect(await startsOf(world)).toEqual([3, 2, 1]);
    expect(world.view.recorder?.message).toBeNull();
    world.reload();
    await world.settle();
    expect(world.view.evicted?.map(({ startedAtMs }) => startedAtMs)).toEqual([0]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Remote } from '#lib/worker-calls.ts';
import type { NewEntry } from '#trace/entry.ts';
import type { RecordingsCalls } from './recordings.ts';
import type { PayloadBlock } from './store/payload-block.ts';
import { anyEntry } from './testing/entries.ts';
import { recordingOf, spokenTurn } from './testing/spoken-turn.ts';
import { newEntry, RecordingWorld, recordedEntries, START } from './testing/world.ts';
import type { SearchEnd, SearchQuery } from './view/search.ts';

const LONG_ENOUGH_MS = 1000;

const words = (text: string, entry: Partial<NewEntry> = {}): NewEntry =>
  newEntry({ payload: text, ...entry });

/** Shows a recording and gives everything in it. */
async function readAll(world: RecordingWorld, recording: string | null) {
  void world.calls.show(recording);
  await world.advance(LONG_ENOUGH_MS);
  const { loaded = 0 } = world.view.shown ?? {};
  return world.calls.entries(Array.from({ length: loaded }, (_, i) => i));
}

/** As an entry comes back: with its index, its time counted from the first. */
const kept = (entries: readonly NewEntry[]) =>
  entries.map((entry, index) => ({ ...entry, index, atUs: entry.atUs - (entries[0]?.atUs ?? 0) }));

describe('A recording', () => {
  it('is read back from the store unchanged, written in any portions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anyEntry, { maxLength: 8 }), { maxLength: 5 }), async (portions) => {
        const world = new RecordingWorld();
        const entries = portions.flat();
        for (const portion of portions) {
          world.record(portion);
          await world.advance(600);
        }
        await world.advance(LONG_ENOUGH_MS);
        const live = await readAll(world, null);
        expect(live).toEqual(kept(entries));
        world.reload();
        const [stored] = await world.list();
        if (entries.length === 0) expect(stored).toBeUndefined();
        else expect(await readAll(world, stored?.id ?? '')).toEqual(kept(entries));
      }),
      { numRuns: 25 },
    );
  });

  it('loses in a crash at any moment no more than the last half second', async () => {
    const step = fc.record({ count: fc.nat({ max: 5 }), thenMs: fc.nat({ max: 700 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const world = new RecordingWorld();
        const cameMs: number[] = [];
        for (const { count, thenMs } of steps) {
          for (let i = 0; i < count; i += 1) cameMs.push(world.nowMs);
          world.record(Array.from({ length: count }, (_, i) => words(`${cameMs.length - count + i}`)));
          await world.advance(thenMs);
        }
        const crashedMs = world.nowMs;
        world.reload();
        const [stored] = await world.list();
        const left = stored ? await readAll(world, stored.id) : [];
        expect(left.map(({ payload }) => payload)).toEqual(left.map((_, i) => `${i}`));
        expect(left.length).toBeGreaterThanOrEqual(cameMs.filter((ms) => crashedMs - ms > 500).length);
      }),
      { numRuns: 30 },
    );
  });

  it('loses in a crash all entries since the last write, and none before it', async () => {
    const world = new RecordingWorld();
    world.record([words('one'), words('two', { atUs: 5 })]);
    await world.advance(499);
    expect(await world.list()).toMatchObject([{ entries: 2, storedBytes: 0 }]);
    await world.advance(2);
    world.record([words('lost')]);
    world.reload();
    const [stored] = await world.list();
    expect(stored).toMatchObject({ ...START, entries: 2, durationUs: 5, bytes: 6, pinned: false, name: '' });
    expect((await readAll(world, stored?.id ?? '')).map(({ payload }) => payload)).toEqual(['one', 'two']);
  });

  it('is written at once where the page may go away', async () => {
    const world = new RecordingWorld();
    world.record([words('a')]);
    void world.calls.flush();
    await world.settle();
    world.reload();
    expect(await world.list()).toMatchObject([{ entries: 1 }]);
  });

  it('reports exactly what the store contains', async () => {
    const world = new RecordingWorld();
    const payload = 'x'.repeat(50_000);
    for (let i = 0; i < 10; i += 1) {
      world.record([words(payload, { atUs: i }), words(payload, { atUs: i, kind: 'audio' })]);
      await world.advance(600);
    }
    const [live] = await world.list();
    // Each payload with its place (8 bytes), each entry's row (41).
    expect(live?.storedBytes).toBe(20 * (50_000 + 8 + 41));
    world.reload();
    expect(await world.list()).toEqual([live]);
  });

  it('begins anew with each start, and where it has become too long', async () => {
    const world = new RecordingWorld({ maxEntries: 3 });
    world.record([words('a', { atUs: 1_000_000 }), words('b'), words('c'), words('d', { atUs: 3_000_000 })]);
    world.begin({ endpoint: 'kugel-multi', startedAtMs: 2_000_000 });
    await world.advance(LONG_ENOUGH_MS);
    await world.keep([words('e')]);
    world.reload();
    expect(await world.list()).toMatchObject([
      { endpoint: 'kugel-multi', startedAtMs: 2_000_000, entries: 1 },
      { endpoint: 'kugel-stream', startedAtMs: 1_003_000, entries: 1, durationUs: 0, part: 2 },
      { endpoint: 'kugel-stream', startedAtMs: 1_001_000, entries: 3 },
    ]);
  });

  it('is named, pinned and deleted, while live and later', async () => {
    const world = new RecordingWorld();
    await world.keep([words('a')]);
    const [{ id } = { id: '' }] = await world.list();
    void world.calls.change(id, { name: 'Glitch' });
    void world.calls.change(id, { pinned: true });
    await world.keep([words('b')]);
    world.reload();
    expect(await world.list()).toMatchObject([{ id, name: 'Glitch', pinned: true, entries: 2 }]);
    void world.calls.change(id, { name: 'Other' });
    expect(await world.list()).toMatchObject([{ name: 'Other', pinned: true }]);
    void world.calls.delete(id);
    expect(await world.list()).toEqual([]);
    void world.calls.show(id);
    void world.calls.change(id, { name: 'x' });
    await world.settle();
    expect(world.failures).toHaveLength(2);
  });

  it('is deleted for good while live, and another begins', async () => {
    const world = new RecordingWorld();
    await world.keep([words('a')]);
    world.record([words('b')]);
    const [{ id } = { id: '' }] = await world.list();
    void world.calls.delete(id);
    await world.advance(LONG_ENOUGH_MS);
    expect(await world.list()).toEqual([]);
    await world.keep([words('c')]);
    expect(await readAll(world, null)).toMatchObject([{ payload: 'c' }]);
    expect(world.view.recorder?.message).toBeNull();
  });
});

describe('A recording from elsewhere', () => {
  async function* giving(entries: readonly NewEntry[]) {
    yield* entries;
  }

  const fileOf = (name: string, entries: AsyncIterable<NewEntry>) => [
    { info: { ...START, id: '', name, durationUs: 0, entries: 0, bytes: 0, pinned: false }, entries },
  ];

  it('is stored as it is, and read as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { minLength: 1 }), async (entries) => {
        const world = new RecordingWorld();
        const [id = ''] = await world.recordings.add(fileOf('From a file', giving(entries)));
        expect(await world.list()).toMatchObject([{ id, name: 'From a file', ...START }]);
        const back: unknown[] = [];
        for await (const entry of recordedEntries(world.recordings, id)) back.push(entry);
        expect(back).toEqual(entries.map((entry, index) => ({ ...entry, index })));
      }),
      { numRuns: 20 },
    );
  });

  it('imports a recording of large frames no faster than it can be written', async () => {
    const world = new RecordingWorld({ memoryBytes: 500_000 });
    async function* large() {
      for (let i = 0; i < 100; i += 1)
        yield newEntry({ atUs: i, kind: 'audio', payload: 'A'.repeat(50_000) });
    }
    const [id = ''] = await world.recordings.add(fileOf('Large', large()));
    const { index } = await world.recordings.open(id);
    expect(index.length).toBe(100);
  });

  it('is not there at all where it could not be read to its end or stored', async () => {
    const world = new RecordingWorld();
    const many = Array.from({ length: 600 }, (_, i) => words(`${i}`));
    async function* broken() {
      yield* many;
      throw new Error('Line 601 is no JSON.');
    }
    await expect(world.recordings.add(fileOf('', broken()))).rejects.toThrow('Line 601');
    world.failToWrite('QuotaExceededError', 9);
    await expect(world.recordings.add(fileOf('', giving(many)))).rejects.toThrow(/no room/);
    expect(await world.list()).toEqual([]);
    await expect(recordedEntries(world.recordings, 'recording-1').next()).rejects.toThrow(/not there/);
  });

  it('is read up to its last entry while live', async () => {
    const world = new RecordingWorld();
    world.record([words('a'), words('b', { kind: 'audio' })]);
    const read: unknown[] = [];
    for await (const { payload } of recordedEntries(world.recordings, 'recording-1')) read.push(payload);
    expect(read).toEqual(['a', 'b']);
  });
});

describe('Without a place to store', () => {
  const audio = (i: number): NewEntry =>
    words('x'.repeat(1000), { atUs: i, kind: i % 2 ? 'audio' : 'words' });

  it.each<[string, (world: RecordingWorld) => void, RegExp]>([
    ['no database', () => {}, /keeps no data/],
    ['a full disk', (world) => world.failToWrite('QuotaExceededError', 99), /no room left/],
    ['a database that fails', (world) => world.failToWrite('UnknownError', 99), /has failed/],
    ['a database that went away', (world) => world.loseDatabase(), /keeps no data/],
  ])('frames are kept in memory, and it is said why: %s', async (name, breakIt, message) => {
    const world = new RecordingWorld({ hasDatabase: name !== 'no database' });
    await world.settle();
    breakIt(world);
    for (let i = 0; i < 5; i += 1) {
      world.record([audio(i)]);
      await world.advance(600);
    }
    expect(world.view.recorder?.message).toMatch(message);
    const entries = await readAll(world, null);
    expect(entries.map(({ payload }) => payload?.length)).toEqual([1000, 1000, 1000, 1000, 1000]);
    expect(await world.list()).toHaveLength(1);
  });

  it('memory stays bounded, and the newest frames are those that are there', async () => {
    const world = new RecordingWorld({ hasDatabase: false, memoryBytes: 1_000_000 });
    for (let i = 0; i < 3000; i += 1) world.record([audio(i)]);
    await world.advance(1000);
    const entries = await readAll(world, null);
    const isThere = entries.map(({ payload }) => payload !== null);
    const first = isThere.indexOf(true);
    expect(first).toBeGreaterThan(1000);
    expect(isThere.slice(first + 600)).not.toContain(false);
    expect(isThere.filter(Boolean).length * 1000).toBeLessThan(1_000_000 + 2 * 300_000);
  });

  it.each<[string, NewEntry[], string, RegExp]>([
    ['a disk that cannot keep up', Array.from({ length: 3000 }, (_, i) => audio(i)), 'slow', /./],
    [
      'a frame beyond the memory',
      [words('x'.repeat(600_000))],
      'tooLarge',
      /^A frame is larger than 67\.1 MB/,
    ],
  ])('%s is given up, and named', async (_, entries, memoryReason, message) => {
    const world = new RecordingWorld({ memoryBytes: 500_000 });
    for (const entry of entries) world.record([entry]);
    await world.advance(1000);
    expect(world.view.recorder).toMatchObject({ memoryReason, message: expect.stringMatching(message) });
  });

  it('a recording that another tab has deleted is not written into the void', async () => {
    const world = new RecordingWorld();
    await world.keep([words('a')]);
    const other = await (await import('./store/recording-store.ts')).RecordingStore.open(() => {});
    await other.remove('recording-1');
    await world.keep([words('b')]);
    expect(world.view.recorder).toMatchObject({ memoryReason: 'deleted' });
    expect(await other.list()).toEqual([]);
  });
});

describe('The shown recording', () => {
  it('is the live recording, and the next one after it', async () => {
    const world = new RecordingWorld();
    void world.calls.show(null);
    expect(world.view.shown).toMatchObject({ recording: null, rows: 0 });
    await world.keep([words('a')]);
    expect(world.view.shown).toMatchObject({ rows: 1, isLive: true, loaded: 1 });
    world.begin();
    await world.keep([words('b'), words('c')]);
    expect(world.view.shown).toMatchObject({ rows: 2, recording: { entries: 2 } });
  });

  it('is what was asked for last, also while another one is being opened', async () => {
    const world = new RecordingWorld();
    await world.keep([words('a')]);
    world.reload();
    void world.calls.show('recording-1');
    void world.calls.show(null);
    await world.advance(LONG_ENOUGH_MS);
    expect(world.view.shown).toMatchObject({ recording: null, isLive: true });
  });

  it('stays what was asked for right after the one before was deleted', async () => {
    const world = new RecordingWorld();
    for (const text of ['a', 'b', 'c']) {
      world.begin();
      await world.keep([words(text)]);
    }
    await readAll(world, 'recording-1');
    void world.calls.delete('recording-1');
    void world.calls.show('recording-2');
    await world.advance(LONG_ENOUGH_MS);
    await world.keep([words('d')]);
    expect(world.view.shown).toMatchObject({ recording: { id: 'recording-2' }, isLive: false });
  });

  it('is reported at most ten times a second', async () => {
    const world = new RecordingWorld();
    world.record([words('first')]);
    world.reports.length = 0;
    for (let i = 0; i < 100; i += 1) {
      world.record([words('a')]);
      await world.advance(10);
    }
    expect(world.reports.filter(({ shown }) => shown).length).toBeLessThanOrEqual(10);
  });

  it('reports the number of its first entry, also after a deleted or a full recording', async () => {
    const world = new RecordingWorld({ maxEntries: 3 });
    const first = () => world.view.shown?.firstNumber;
    void world.calls.show(null);
    expect(first()).toBeNull();
    await world.keep([words('a'), words('b')]);
    expect(first()).toBe(0);
    void world.calls.delete('recording-1');
    await world.advance(LONG_ENOUGH_MS);
    expect(first()).toBeNull();
    await world.keep([words('c'), words('d'), words('e'), words('f')]);
    expect(first()).toBe(5);
    world.begin();
    await world.keep([words('g')]);
    expect(first()).toBe(6);
    await readAll(world, 'recording-2');
    expect(first()).toBeNull();
  });

  it('is listed as wanted, in windows, and knows where things are', async () => {
    const world = new RecordingWorld();
    const audio = { kind: 'audio', turn: 1 };
    await world.keep([words('a'), words('x', audio), words('y', audio), words('b', { turn: 2 })]);
    const { layout = -1 } = world.view.shown ?? {};
    expect(await world.calls.rows(1, 99, false)).toMatchObject({
      layout,
      rows: [
        { type: 'run', row: 1, count: 2 },
        { type: 'entry', row: 2, head: { index: 3 } },
      ],
    });
    void world.calls.openRun(1, true);
    expect(world.view.shown).toMatchObject({ rows: 5, layout: layout + 1 });
    void world.calls.list({ filter: { turns: [2, null] }, fold: true });
    expect(world.view.shown).toMatchObject({ rows: 2, matches: 2 });
    expect([...(await world.calls.locate([0, 1, 3]))]).toEqual([0, -1, 1]);
    expect([...(await world.calls.find({ kinds: ['audio'] }))]).toEqual([1, 2]);
  });
});

describe('The findings in the sound of a run', () => {
  const good = spokenTurn();
  const entries = recordingOf([good, { ...good, samples: new Int16Array(good.samples.length) }]);
  const end = new AbortController();
  const count = (port: MessagePort) =>
    new RecordingWorld().recordings.countSoundFindings('kugel-stream', port, end.signal);

  it('include those of its last turn, whose entries come right before the end', async () => {
    const { port1, port2 } = new MessageChannel();
    const found = count(port1);
    port2.postMessage({ type: 'entries', first: 0, entries: entries.slice(0, 20) });
    port2.postMessage({ type: 'entries', first: 20, entries: entries.slice(20) });
    port2.postMessage({ type: 'end' });
    expect(await found).toBe(1);
  });

  it('are those so far of a session that is gone without an end', async () => {
    const { port1, port2 } = new MessageChannel();
    const closed = new Promise((resolve) => port2.addEventListener('close', resolve));
    const found = count(port1);
    port2.postMessage({ type: 'entries', first: 0, entries: [] });
    end.abort();
    expect(await found).toBe(0);
    await closed;
  });
});

describe('An answer', () => {
  const AUDIO = { kind: 'audio', turn: 1, chunk: 0, audioMs: 20 };
  const FRAME = '{"audio":"AAAA","enc":"pcm_s16le","idx":0,"sr":24000,"samples":1,"chunk_id":0}';
  type Question = (calls: Remote<RecordingsCalls>) => Promise<unknown>;
  const QUESTIONS: readonly [name: string, ask: Question, readsPayloads: boolean][] = [
    ['rows', (calls) => calls.rows(0, 9, true), false],
    ['locate', (calls) => calls.locate([0, 1]), false],
    ['find', (calls) => calls.find({}), false],
    ['findings', (calls) => calls.findings({ entries: [0] }), false],
    ['nextFinding', (calls) => calls.nextFinding(-1, 1, true), false],
    ['entries', (calls) => calls.entries([0, 1]), true],
    ['frameOutcome', (calls) => calls.frameOutcome(1), true],
    ['frameAt', (calls) => calls.frameAt(1, 0), true],
    ['turnSound', (calls) => calls.turnSound(1, 0, 1), true],
  ];

  /** Shows a stored recording of which all payloads are read through that. */
  async function reading(readBlock: RecordingWorld['readBlock']) {
    const world = new RecordingWorld();
    await world.keep([words('{"text":"a"}'), words(FRAME, AUDIO)]);
    world.reload();
    world.readBlock = readBlock;
    void world.calls.show('recording-1');
    await world.advance(LONG_ENOUGH_MS);
    world.reports.length = 0;
    return world;
  }

  const damaged = (): PayloadBlock => JSON.parse('{}');

  it.each(QUESTIONS)('comes where payloads are damaged: %s', async (_, ask, readsPayloads) => {
    const { calls } = await reading(damaged);
    if (readsPayloads) await expect(ask(calls)).rejects.toThrow(/./);
    else await expect(ask(calls)).resolves.toBeDefined();
  });

  it.each(QUESTIONS)('comes without payloads where the database has gone: %s', async (name, ask) => {
    const { calls, failures } = await reading(() => {
      throw new DOMException('The database has gone.', 'InvalidStateError');
    });
    const answer = await ask(calls);
    expect(failures).toEqual([]);
    if (name === 'entries') expect(answer).toMatchObject([{ payload: null }, { payload: null }]);
  });

  it('is a stretch of the sound of a turn across its frames, as far as there is sound', async () => {
    const world = new RecordingWorld();
    const frame = (...samples: number[]) => {
      const audio = Buffer.from(Int16Array.from(samples).buffer).toString('base64');
      return words(FRAME.replace('AAAA', audio).replace('24000', '8000'), AUDIO);
    };
    await world.keep([frame(1, 2), words(FRAME, { ...AUDIO, turn: 2 }), frame(3, 4)]);
    world.reload();
    void world.calls.show('recording-1');
    await world.advance(LONG_ENOUGH_MS);
    const heard = async (turn: number, from: number, to: number) => {
      const sound = await world.calls.turnSound(turn, from / 8000, to / 8000);
      return sound && [sound.sampleRate, ...sound.samples];
    };
    expect(await heard(1, 1, 3)).toEqual([8000, 2, 3]);
    expect(await heard(1, 3, 900)).toEqual([8000, 4]);
    expect(await heard(1, 4, 900)).toBeNull();
    expect(await heard(3, 0, 900)).toBeNull();
  });

  it('has all rows where payloads are damaged, and says what is missing of them and why', async () => {
    const world = await reading(damaged);
    expect(await world.calls.rows(0, 9, true)).toMatchObject({
      rows: [{ summary: null }, { summary: 'chunk 0, 20 ms of audio', envelope: null }],
      isWhole: true,
      problem: expect.stringMatching(/./),
    });
    world.readBlock = (block) => block;
    expect(await world.calls.rows(0, 9, true)).toMatchObject({
      rows: [{ summary: '"a"' }, { envelope: expect.any(Uint8Array) }],
      isWhole: true,
      problem: null,
    });
  });

  it('has rows without their contents where these are not wanted', async () => {
    const { calls } = await reading((block) => block);
    expect(await calls.rows(0, 9, false)).toMatchObject({
      rows: [{ summary: null }, { summary: null, envelope: null }],
      isWhole: false,
      problem: null,
    });
  });

  it('has the contents of further rows with each request where reading takes long', async () => {
    const world = new RecordingWorld();
    // No rule reads the payloads before.
    world.begin({ endpoint: 'another' });
    await world.keep([words('{"text":"a"}'), words(FRAME, AUDIO)]);
    world.reload();
    void world.calls.show('recording-1');
    await world.advance(LONG_ENOUGH_MS);
    const summaries = async () => {
      const { rows, isWhole } = await world.calls.rows(0, 9, true);
      return [...rows.map(({ summary }) => summary), isWhole];
    };
    world.readBlock = (block) => {
      world.nowMs += 1000;
      return block;
    };
    expect(await summaries()).toEqual(['"a"', null, false]);
    expect(await summaries()).toEqual(['"a"', 'chunk 0, 20 ms of audio', true]);
  });

  it('comes again where a payload can be read by then', async () => {
    const world = await reading(damaged);
    const ask = () => Promise.allSettled([world.calls.frameAt(1, 0), world.calls.entries([0])]);
    expect(await ask()).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    world.readBlock = (block) => block;
    expect(await ask()).toMatchObject([{ value: 1 }, { value: [{ payload: '{"text":"a"}' }] }]);
  });

  it('comes of searches and files too', async () => {
    const { calls } = await reading(damaged);
    const query = { text: 'a', isRegex: false, matchCase: false, withAudio: true };
    const { signal } = new AbortController();
    expect(await calls.search(query, () => {}, signal)).toMatchObject({ state: 'failed' });
    const part = { context: null };
    const task = { kind: 'export', recording: 'recording-1', format: 'voicewire', part } as const;
    expect(await calls.exchange(task, () => {}, signal)).toMatchObject({ kind: 'failed' });
  });
});

describe('Search', () => {
  const query = (text: string, more: Partial<SearchQuery> = {}): SearchQuery => ({
    text,
    isRegex: false,
    matchCase: false,
    withAudio: false,
    ...more,
  });

  const searched = (
    world: RecordingWorld,
    wanted: SearchQuery,
    hits: number[] = [],
    signal = new AbortController().signal,
  ): Promise<SearchEnd> => world.calls.search(wanted, (progress) => hits.push(...progress.hits), signal);

  async function hitsOf(world: RecordingWorld, wanted: SearchQuery): Promise<number[]> {
    const hits: number[] = [];
    const { state, progress } = await searched(world, wanted, hits);
    expect(state).toBe('done');
    return [...hits, ...(progress?.hits ?? [])];
  }

  const entries = [
    words('{"text":"Grüße"}'),
    words('needle in audio', { kind: 'audio' }),
    words('a needle (1.5)'),
    newEntry({ payload: new Uint8Array([0x4e, 0x65, 0x65]) }),
    words('NEEDLE'),
  ];

  async function searchable() {
    const world = new RecordingWorld();
    await world.keep(entries);
    return world;
  }

  it.each([
    ['text in any case', query('needle'), [2, 4]],
    ['text in this case', query('needle', { matchCase: true }), [2]],
    ['text that means something else in a regular expression', query('(1.5)'), [2]],
    ['other letters in any case', query('GRÜSSE'.replace('SS', 'ß')), [0]],
    ['a regular expression', query('^a.*\\d', { isRegex: true }), [2]],
    ['audio too', query('needle', { withAudio: true }), [2, 4, 1]],
    ['bytes as hex', query('4E 65'), [3]],
    ['nothing', query('absent'), []],
  ])('finds %s', async (_, wanted, expected) => {
    const world = await searchable();
    expect(await hitsOf(world, wanted)).toEqual(expected);
    world.reload();
    await readAll(world, 'recording-1');
    expect(await hitsOf(world, wanted)).toEqual(expected);
  });

  it('reports the error in a regular expression', async () => {
    const end = await searched(new RecordingWorld(), query('(', { isRegex: true }));
    expect(end).toMatchObject({ state: 'refused', problem: expect.any(String) });
  });

  it('gives up an expression that does not come to an end, and records meanwhile', async () => {
    const world = await searchable();
    world.isSearchStuck = true;
    const end = searched(world, query('(a+)+$', { isRegex: true }));
    world.record([words('b')]);
    await world.advance(6000);
    expect(await end).toMatchObject({ state: 'failed', problem: expect.stringMatching(/given up/) });
    expect(world.searchersEnded).toBe(1);
    expect(await world.list()).toMatchObject([{ entries: entries.length + 1 }]);
  });

  it('fails where nothing can search, and is done again later', async () => {
    const world = await searchable();
    world.failSearchers = new Error('No more workers.');
    const failed = { state: 'failed', problem: 'No more workers.' };
    expect(await searched(world, query('needle'))).toMatchObject(failed);
    world.failSearchers = null;
    expect(await hitsOf(world, query('needle'))).toEqual([2, 4]);
  });

  it('says how much it could not look at', async () => {
    const world = new RecordingWorld({ hasDatabase: false, memoryBytes: 300_000 });
    for (let i = 0; i < 1000; i += 1) world.record([words(`needle ${'x'.repeat(1000)}`, { atUs: i })]);
    const hits: number[] = [];
    const { progress } = await searched(world, query('needle'), hits);
    hits.push(...(progress?.hits ?? []));
    expect(progress).toMatchObject({ of: 1000, looked: hits.length });
    expect(progress?.unread).toBe(1000 - hits.length);
    expect(progress?.unread).toBeGreaterThan(0);
  });

  it('ends when it is cancelled, and when another begins', async () => {
    const world = await searchable();
    world.isSearchStuck = true;
    const abort = new AbortController();
    const cancelled = searched(world, query('needle'), [], abort.signal);
    abort.abort();
    expect(await cancelled).toMatchObject({ state: 'cancelled' });
    const overtaken = searched(world, query('needle'));
    world.isSearchStuck = false;
    const last = searched(world, query('needle'));
    expect(await overtaken).toMatchObject({ state: 'cancelled' });
    expect(await last).toMatchObject({ state: 'done' });
    world.isSearchStuck = true;
    const left = searched(world, query('needle'));
    void world.calls.show(null);
    expect(await left).toMatchObject({ state: 'cancelled' });
    expect(world.searchersEnded).toBe(4);
  });
});

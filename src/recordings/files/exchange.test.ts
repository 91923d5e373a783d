import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEntry } from '#trace/entry.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import { anyEntries, infoOf, joinedText } from '#trace/files/testing/recordings.ts';
import { newEntry, RecordingWorld, recordedEntries } from '../testing/world.ts';
import type { ExchangeTask, ExportedFile } from './exchange-messages.ts';
import type { ExportFormatId, RecordingPart } from './export-formats.ts';
import { audioEntry, playerEntry } from './testing/audio-entries.ts';
import { devToolsHar, socketEntry } from './testing/devtools-har.ts';

const WHOLE: RecordingPart = { context: null };

async function recorded(entries: readonly NewEntry[]): Promise<{ world: RecordingWorld; id: string }> {
  const world = new RecordingWorld();
  await world.keep(entries);
  return { world, id: world.view.recorder?.recording ?? '' };
}

async function exported(
  world: RecordingWorld,
  recording: string,
  format: ExportFormatId,
  part: RecordingPart = WHOLE,
) {
  const outcome = await world.exchange({ kind: 'export', recording, format, part });
  if (outcome.kind !== 'exported') throw new Error(JSON.stringify(outcome));
  return outcome;
}

const importOf = (file: Blob, name: string, once = false): ExchangeTask => ({
  kind: 'import',
  file,
  name,
  once,
  split: 'endpoint',
});
const imported = (world: RecordingWorld, file: Blob, name = 'a file', once = false) =>
  world.exchange(importOf(file, name, once));

/** Everything of a recording but its place in the database. */
async function entriesOf(world: RecordingWorld, id: string) {
  const entries = [];
  for await (const entry of recordedEntries(world.recordings, id)) entries.push(entry);
  return entries;
}

describe('A file of more frames than a recording holds', () => {
  it.each(['voicewire', 'har'] as const)(
    'becomes several recordings, with all of them: %s',
    async (format) => {
      const sent = Array.from({ length: 7 }, (_, i) =>
        newEntry({ atUs: i * 1000, payload: `{"text":"${i}"}` }),
      );
      const { world, id } = await recorded(sent);
      const [file = { blob: new Blob() }] = (await exported(world, id, format)).files;
      const small = new RecordingWorld({ maxEntries: 3 });
      const outcome = await imported(small, file.blob);
      if (outcome.kind !== 'imported') throw new Error(JSON.stringify(outcome));
      expect(outcome.notes[0]).toContain('It became 3 recordings');
      const parts = await small.list();
      expect(parts.map(({ part, durationUs }) => [part, durationUs])).toEqual([
        [3, 0],
        [2, 2000],
        [undefined, 2000],
      ]);
      const payloads = [];
      for (const recording of outcome.recordings)
        for (const { payload } of await entriesOf(small, recording)) payloads.push(payload);
      expect(payloads).toEqual(sent.map(({ payload }) => payload));
    },
  );
});

describe('A further recording of a session', () => {
  const address = 'wss://host/v1/text-to-speech/v/stream-input?output_format=ulaw_8000';
  const happened = (kind: string, connection: number, payload: object = {}) =>
    newEntry({ direction: 'connection', opcode: 'none', kind, connection, payload: JSON.stringify(payload) });
  const spoken = (word: string, turn: number) => {
    const chars = [...`${word} `];
    const alignment = {
      chars,
      charStartTimesMs: chars.map((_, at) => 500 + 10 * at),
      charDurationsMs: chars.map(() => 10),
    };
    const audio = Buffer.alloc(8000, 0x20).toString('base64');
    const payload = JSON.stringify({ audio, isFinal: null, alignment });
    return newEntry({ kind: 'audio', connection: 2, turn, chunk: 0, payload });
  };
  const opening = [happened('opening', 2, { address }), happened('opened', 2)];
  /** One connection is closed. The other carries three turns of a second each, in the format of its address. */
  const session = [
    ...[happened('opening', 1, { address: 'wss://host/' }), happened('closed', 1)],
    ...[...opening, spoken('One', 1), spoken('Two', 2), spoken('Three', 3)],
  ].map((entry, at) => ({ ...entry, atUs: at * 1000 }));
  const [PART, REPEATED] = [5, opening.length];

  /** The words with the rate of their turn, and where they are in the sound of all turns. */
  async function wordsOf(world: RecordingWorld, id: string): Promise<string[]> {
    interface ExportedTurn {
      sampleRate: number;
      chunks: { words: { word: string; startMs: number }[] }[];
    }
    const { files } = await exported(world, id, 'words');
    const { turns }: { turns: ExportedTurn[] } = JSON.parse((await files[0]?.blob.text()) ?? '');
    return turns.flatMap(({ sampleRate, chunks }) =>
      chunks.flatMap(({ words }) => words.map(({ word, startMs }) => `${word} ${startMs} ${sampleRate}`)),
    );
  }

  const WORDS = [['One 500 8000'], ['Two 500 8000', 'Three 1500 8000']];

  it('is read as its connection was opened, live and from the files of the parts', async () => {
    const world = new RecordingWorld({ maxEntries: PART });
    world.begin({ endpoint: 'elevenlabs-stream' });
    await world.keep(session);
    expect(world.view.shown?.firstNumber).toBe(PART - REPEATED);
    const again = new RecordingWorld();
    const parts = (await world.list()).toReversed();
    for (const [at, { id, entries }] of parts.entries()) {
      expect(entries).toBe([PART, REPEATED + 2][at]);
      expect(await wordsOf(world, id)).toEqual(WORDS[at]);
      const [file = { blob: new Blob() }] = (await exported(world, id, 'voicewire')).files;
      const outcome = await imported(again, file.blob);
      const [read = ''] = outcome.kind === 'imported' ? outcome.recordings : [];
      expect(await wordsOf(again, read)).toEqual(WORDS[at]);
    }
  });

  it('is read as its connection was opened where a whole file becomes parts', async () => {
    const world = new RecordingWorld();
    world.begin({ endpoint: 'elevenlabs-stream' });
    await world.keep(session);
    const id = world.view.recorder?.recording ?? '';
    const [file = { blob: new Blob() }] = (await exported(world, id, 'voicewire')).files;
    const small = new RecordingWorld({ maxEntries: PART });
    const outcome = await imported(small, file.blob);
    const parts = outcome.kind === 'imported' ? outcome.recordings : [];
    expect(await Promise.all(parts.map((part) => wordsOf(small, part)))).toEqual(WORDS);
  });

  it('begins so too where the one before was deleted', async () => {
    const world = new RecordingWorld();
    world.begin({ endpoint: 'elevenlabs-stream' });
    await world.keep(session.slice(0, PART));
    void world.calls.delete(world.view.recorder?.recording ?? '');
    await world.advance(1000);
    await world.keep(session.slice(PART));
    expect(await wordsOf(world, world.view.recorder?.recording ?? '')).toEqual(WORDS[1]);
  });
});

describe('A file of a recording that is not kept whole', () => {
  it.each(['voicewire', 'har'] as const)('says how much is missing, each frame once: %s', async (format) => {
    const world = new RecordingWorld({ hasDatabase: false, memoryBytes: 300_000 });
    const frame = (i: number) => ({ atUs: i, connection: 1 + (i % 3), payload: 'x'.repeat(1000) });
    for (let i = 0; i < 1000; i += 1) world.record([newEntry(frame(i))]);
    const missing = (await entriesOf(world, 'recording-1')).filter(({ payload }) => payload === null).length;
    expect(missing).toBeGreaterThan(0);
    expect((await exported(world, 'recording-1', format)).notes).toEqual([
      `The content of ${missing} frames is no longer kept, and is empty in the file.`,
    ]);
  });
});

const FORMATS = ['voicewire', 'har'] as const;

describe('A recording that goes out and comes in again', () => {
  it.each(FORMATS)('is the same by %s, to the byte and to the microsecond', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        anyEntries.filter((entries) => entries.length > 0),
        fc.boolean(),
        async (entries, packed) => {
          const { world, id } = await recorded(entries);
          const { files, notes } = await exported(world, id, format);
          expect(notes).toEqual([]);
          const bytes = new Uint8Array(await (files[0]?.blob ?? new Blob()).arrayBuffer());
          const outcome = await imported(world, new Blob([packed ? gzipSync(bytes) : bytes]));
          expect(outcome).toMatchObject({ kind: 'imported', notes: [] });
          const [again = ''] = outcome.kind === 'imported' ? outcome.recordings : [];
          expect(await entriesOf(world, again)).toEqual(await entriesOf(world, id));
        },
      ),
      { numRuns: 10 },
    );
  });

  it('is called as it was, or as the file is', async () => {
    const { world, id } = await recorded([newEntry()]);
    const { files } = await exported(world, id, 'voicewire');
    await imported(world, files[0]?.blob ?? new Blob(), 'first');
    void world.calls.change(id, { name: 'Named' });
    await world.settle();
    const named = await exported(world, id, 'voicewire');
    await imported(world, named.files[0]?.blob ?? new Blob(), 'second');
    expect((await world.list()).map(({ name }) => name).sort()).toEqual(['Named', 'Named', 'first']);
  });

  it('is imported once with `once`', async () => {
    const { world, id } = await recorded([newEntry()]);
    const { files } = await exported(world, id, 'voicewire');
    const file = files[0]?.blob ?? new Blob();
    const first = await imported(world, file, 'sample', true);
    expect(first).toMatchObject({ isNew: true });
    expect(await imported(world, file, 'sample', true)).toEqual({ ...first, isNew: false });
  });
});

describe('An export', () => {
  const audioOf = (samples: number[], more: Partial<NewEntry> = {}): NewEntry =>
    newEntry({ ...audioEntry({ of: samples, sr: 8000 }), context: null, ...more });
  const samplesIn = async ({ files }: { files: readonly ExportedFile[] }) => [
    files[0]?.ending,
    ...new Int16Array((await files[0]?.blob.arrayBuffer())?.slice(44) ?? []),
  ];

  it('of sound holds the samples of one turn, or of all of them end to end', async () => {
    const { world, id } = await recorded([audioOf([1, 2]), audioOf([3], { turn: 2, atUs: 5 })]);
    expect(await samplesIn(await exported(world, id, 'receivedWav', { turn: 2 }))).toEqual(['.wav', 3]);
    expect(await samplesIn(await exported(world, id, 'receivedWav'))).toEqual(['.wav', 1, 2, 3]);
    const parts = await world.exchange({ kind: 'parts', recording: id });
    expect(parts).toMatchObject({ kind: 'parts', turns: [{ turn: 1 }, { turn: 2 }] });
  });

  it('of what was heard has what left the speakers, and says where nothing did', async () => {
    const spans = [{ sample: 0, count: 2, atUs: 9 }];
    const dropped = { sample: 2, atUs: 10, why: 'cancel' };
    const heard = newEntry(
      playerEntry('heard', { sampleRate: 8000, samples: 3, spans, dropped }, { context: null }),
    );
    const { world, id } = await recorded([audioOf([1, 2, 3]), heard, audioOf([4], { turn: 2 })]);
    expect(await samplesIn(await exported(world, id, 'heardWav', { turn: 1 }))).toEqual(['.heard.wav', 1, 2]);
    const task: ExchangeTask = { kind: 'export', recording: id, format: 'heardWav', part: { turn: 2 } };
    expect(await world.exchange(task)).toMatchObject({
      kind: 'failed',
      problem: expect.stringMatching(/^Nothing in this part/),
    });
  });

  it('of words has them where they are in that sound', async () => {
    const words = (word: string, start_ms: number, turn: number) => {
      const timed = { word, start_ms, end_ms: start_ms + 100, char_start: 0, char_end: word.length };
      return newEntry({
        kind: 'words',
        turn,
        payload: JSON.stringify({ word_timestamps: [timed], chunk_id: 0 }),
      });
    };
    const second = (turn: number) => audioOf(new Array(8000).fill(1), { turn });
    const { world, id } = await recorded([second(1), words('One', 50, 1), second(2), words('Two', 250, 2)]);
    const { files } = await exported(world, id, 'vtt');
    expect(await files[0]?.blob.text()).toMatch(
      /00:00:00\.050 --> [\s\S]*One[\s\S]*00:00:01\.250 --> [\s\S]*Two/,
    );
  });

  it('of words has estimates by chunk, where the server sent no word times', async () => {
    const out = (payload: string, kind: string, atUs: number) =>
      newEntry({ direction: 'out', kind, payload, atUs, turn: 1 });
    const bytes = new Uint8Array(new Int16Array(24_000).fill(1).buffer);
    const world = new RecordingWorld();
    world.begin({ endpoint: 'murmr' });
    await world.keep([
      out('{"type":"text","text":"Good morning."}', 'say', 0),
      out('{"type":"flush"}', 'flush', 1),
      newEntry({ kind: 'audio', turn: 1, atUs: 2, audioMs: 1000, payload: bytes }),
    ]);
    const id = world.view.recorder?.recording ?? '';
    const { files } = await exported(world, id, 'words', { turn: 1 });
    const { turns } = JSON.parse((await files[0]?.blob.text()) ?? '');
    expect(turns[0].chunks[0].words.map(({ word }: { word: string }) => word)).toEqual(['Good', 'morning']);
    expect(turns[0].chunks[0].words[1].endMs).toBeLessThanOrEqual(1000);
  });

  it('of what is not there says so', async () => {
    const { world, id } = await recorded([newEntry()]);
    for (const format of ['receivedWav', 'srt', 'words'] as const) {
      const outcome = await world.exchange({ kind: 'export', recording: id, format, part: WHOLE });
      expect(outcome).toMatchObject({
        kind: 'failed',
        problem: expect.stringMatching(/^There (?:is|are) no /),
      });
    }
    expect(await world.exchange({ kind: 'parts', recording: 'none' })).toMatchObject({ kind: 'failed' });
  });

  it('can be called off', async () => {
    const { world, id } = await recorded(Array.from({ length: 1000 }, (_, i) => newEntry({ atUs: i })));
    const task: ExchangeTask = { kind: 'export', recording: id, format: 'har', part: WHOLE };
    const abort = new AbortController();
    const outcome = world.exchange(task, abort.signal);
    abort.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
  });
});

it('A snippet has all sent frames and the address of the last connection', async () => {
  const opening = (connection: number, host: string) =>
    newEntry({
      direction: 'connection',
      opcode: 'none',
      kind: 'opening',
      connection,
      payload: JSON.stringify({ address: `wss://${host}/ws/tts/stream` }),
    });
  const said = (connection: number, payload: string, atUs = 0) =>
    newEntry({ direction: 'out', kind: 'say', connection, payload, atUs });
  const { world, id } = await recorded([
    opening(1, 'first.example'),
    opening(2, 'second.example'),
    said(2, 'a'),
    said(1, 'b'),
    said(2, 'c', 10_000),
    newEntry({ connection: 2, atUs: 1_510_000 }),
  ]);
  const outcome = await world.exchange({ kind: 'snippet', recording: id });
  expect(outcome).toMatchObject({
    kind: 'snippet',
    frames: 2,
    source: {
      frames: [
        { waitMs: 0, frame: { text: ['a'] } },
        { waitMs: 10, frame: { text: ['c'] } },
      ],
      tailMs: 1500,
    },
  });
  expect(JSON.stringify(outcome)).toContain('wss://second.example/ws/tts/stream');
});

it('A snippet of the beginning of a session does not wait for the end of the whole of it', async () => {
  const said = Array.from({ length: 400 }, (_, i) =>
    newEntry({ direction: 'out', kind: 'say', atUs: i * 10_000, payload: `{"text":"${i}"}` }),
  );
  const heard = [2_995_000, 900_000_000].map((atUs) => newEntry({ atUs }));
  const { world, id } = await recorded([...said, ...heard].sort((a, b) => a.atUs - b.atUs));
  const outcome = await world.exchange({ kind: 'snippet', recording: id });
  // Of 300 frames the last went out at 2990 ms.
  expect(outcome).toMatchObject({ kind: 'snippet', frames: 400, source: { tailMs: 5 } });
});

describe('An import', () => {
  it('of a file that is wrong in any place leaves nothing behind', async () => {
    const [entries] = fc.sample(
      anyEntries.filter((some) => some.length > 3),
      { numRuns: 1, seed: 5 },
    );
    const whole = await joinedText(writeRecording(infoOf(entries ?? []), entries ?? []));
    const lines = whole.trimEnd().split('\n');
    for (const at of [0, 1, lines.length >> 1, lines.length - 1]) {
      const world = new RecordingWorld();
      const broken = lines.with(at, '{"atUs":"soon"}').join('\n');
      const outcome = await imported(world, new Blob([`${broken}\n`]));
      expect(outcome).toMatchObject({ kind: 'failed', place: { line: at + 1 } });
      expect(await world.list()).toEqual([]);
    }
  });

  const frames = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: 'receive', time: 1 + at, opcode: 1, data: '{}' }));

  it.each<[string, () => Promise<string>]>([
    [
      'our own format',
      async () => {
        const entries = Array.from({ length: 1500 }, (_, index) => ({ ...newEntry({ atUs: index }), index }));
        return joinedText(writeRecording(infoOf(entries), entries));
      },
    ],
    [
      'HAR',
      async () =>
        devToolsHar([
          socketEntry('wss://a/kugel/ws/tts/stream', frames(700)),
          socketEntry('wss://a/', frames(700)),
        ]),
    ],
  ])('that is cancelled at any point leaves nothing behind: %s', async (_, textOf) => {
    const file = new Blob([await textOf()]);
    for (let turns = 0; ; turns += 1 + (turns >> 3)) {
      const world = new RecordingWorld();
      const abort = new AbortController();
      const task = importOf(file, '');
      const outcome = world.exchange(task, abort.signal);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      abort.abort();
      const { kind } = await outcome;
      if (kind === 'imported') {
        expect(turns).toBeGreaterThan(9);
        return;
      }
      expect(kind).toBe('cancelled');
      expect(await world.list()).toEqual([]);
      expect(await world.rows()).toBe(0);
    }
  });

  it('that is cancelled while a HAR file is parsed ends the parser, and does not wait for it', async () => {
    const world = new RecordingWorld();
    let isParsing = false;
    let fail = (_: Error): void => {};
    world.openHar = () => ({
      calls: {
        read: () => {
          isParsing = true;
          return new Promise((_, reject) => {
            fail = reject;
          });
        },
        entries: async () => [],
      },
      dispose: () => fail(new Error('The parser has ended.')),
    });
    const abort = new AbortController();
    const file = new Blob([devToolsHar([socketEntry('wss://a/', frames(1))])]);
    const task = importOf(file, '');
    const outcome = world.exchange(task, abort.signal);
    while (!isParsing) await world.settle();
    abort.abort();
    expect(await outcome).toEqual({ kind: 'cancelled' });
  });

  it('that is cancelled before a HAR file is parsed opens no parser', async () => {
    const world = new RecordingWorld();
    let opened = 0;
    world.openHar = () => {
      opened += 1;
      throw new Error('It was opened.');
    };
    const abort = new AbortController();
    const file = new Blob([devToolsHar([socketEntry('wss://a/', frames(1))])]);
    const stream = file.stream.bind(file);
    // The first reading, which detects the format, is what precedes the parser.
    const cut = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(part, controller) {
        abort.abort();
        controller.enqueue(part);
      },
    });
    file.stream = () => stream().pipeThrough(cut);
    const task = importOf(file, '');
    expect(await world.recordings.exchange(task, () => {}, abort.signal)).toEqual({ kind: 'cancelled' });
    expect(opened).toBe(0);
  });

  it('of 1,000 connections becomes one recording', async () => {
    const world = new RecordingWorld();
    const sockets = Array.from({ length: 1000 }, (_, at) => socketEntry(`wss://a/${at % 500}`, frames(2)));
    const outcome = await imported(world, new Blob([devToolsHar(sockets)]));
    expect(outcome).toMatchObject({ kind: 'imported', recordings: [expect.any(String)] });
    expect(await world.list()).toMatchObject([{ entries: 3000, name: 'a file' }]);
  });

  it.each([
    [100, true],
    [101, false],
  ])('of %i addresses can be split by them: %s', async (addresses, canSplit) => {
    const sockets = Array.from({ length: addresses }, (_, at) => socketEntry(`wss://a/${at}`, frames(1)));
    const outcome = await imported(new RecordingWorld(), new Blob([devToolsHar(sockets)]));
    expect(outcome).toMatchObject({ canSplit, notes: [`It has connections to ${addresses} addresses.`] });
  });

  it('of a truncated file keeps its entries, and reports the truncation', async () => {
    const text = await joinedText(
      writeRecording(infoOf([]), [
        { ...newEntry(), index: 0 },
        { ...newEntry(), index: 1 },
      ]),
    );
    const outcome = await imported(new RecordingWorld(), new Blob([text.split('\n').slice(0, 2).join('\n')]));
    expect(outcome).toMatchObject({ kind: 'imported', notes: [expect.stringContaining('cut off')] });
  });

  it('says why where the browser keeps nothing', async () => {
    const world = new RecordingWorld({ hasDatabase: false });
    const text = await joinedText(writeRecording(infoOf([]), [{ ...newEntry(), index: 0 }]));
    expect(await imported(world, new Blob([text]))).toMatchObject({
      kind: 'failed',
      problem: expect.stringMatching(/keeps no data/),
    });
  });
});

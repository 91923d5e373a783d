import { describe, expect, it } from 'vitest';
import { linkedPorts } from '#lib/testing/linked-ports.ts';
import { connectCalls } from '#lib/worker-calls.ts';
import type { CapturedClient, CapturedMessage, CaptureMessage } from '#trace/capture-messages.ts';
import type { EntrySource } from '../entry-source.ts';
import { client, newEntry, RecordingWorld, recordedEntries } from '../testing/world.ts';

const STARTED = 5_000_000;

const sent = (atMs: number, frame: object): CapturedMessage => ({
  atMs: STARTED + atMs,
  direction: 'out',
  kind: '',
  text: JSON.stringify(frame),
});
const received = (atMs: number, frame: object): CapturedMessage => ({
  ...sent(atMs, frame),
  direction: 'in',
});
const event = (atMs: number, kind: string, payload: object = {}): CapturedMessage => ({
  ...sent(atMs, payload),
  direction: 'connection',
  kind,
});

const AUDIO = { audio: 'AAAAAAAAAAA=', enc: 'pcm_s16le', idx: 0, sr: 8000, samples: 4, chunk_id: 0 };
const CLOSED = { code: 1006, reason: '', asked: false, left: false };
const OPENING = [event(0, 'opening', { address: 'ws://h/kugel/ws/tts/stream' }), event(1, 'opened')];
const TURN = [
  ...OPENING,
  sent(2, { text: 'Hi.', voice_id: 1071, flush: true }),
  received(40, { generation_started: true, chunk_id: 0, text: 'Hi.' }),
  received(50, AUDIO),
];

const entries = (
  messages: readonly CapturedMessage[],
  more: Partial<Extract<CaptureMessage, { type: 'entries' }>> = {},
): CaptureMessage => {
  const untilMs = messages.at(-1)?.atMs ?? STARTED;
  return {
    type: 'entries',
    client: 'c1',
    entries: [...messages],
    lost: 0,
    untilMs,
    sentAtMs: untilMs,
    isLast: false,
    ...more,
  };
};

/** A world that is connected to a capture with one client. */
async function connected(limits?: ConstructorParameters<typeof RecordingWorld>[0]) {
  const world = new RecordingWorld(limits);
  await world.calls.watchClients();
  world.say(listed(client()));
  await world.settle();
  return world;
}

async function opened(limits?: ConstructorParameters<typeof RecordingWorld>[0]) {
  const world = await connected(limits);
  const { recording } = await world.calls.openClient('c1');
  return { world, recording: recording.id };
}

/** Direction, kind and turn of each entry. */
async function all(world: RecordingWorld, id: string) {
  const kept: string[] = [];
  for await (const { direction, kind, turn } of recordedEntries(world.recordings, id))
    kept.push(`${direction} ${kind} ${turn}`);
  return kept;
}

const listed = (...changed: CapturedClient[]): CaptureMessage => ({ type: 'clients', changed, gone: [] });
const dropped: CaptureMessage = { type: 'clients', changed: [], gone: ['c1'] };

/** Loses the connection to the server, and opens another one. */
async function reconnect(world: RecordingWorld, ...clients: CapturedClient[]): Promise<void> {
  world.lines.at(-1)?.handlers.ended(false);
  await world.advance(1000);
  world.say(listed(...clients));
}

describe('the list of clients', () => {
  it('is connected to only where the page asks, once', async () => {
    const world = new RecordingWorld();
    expect(world.lines).toEqual([]);
    await world.calls.watchClients();
    await world.calls.watchClients();
    expect(world.lines).toHaveLength(1);
  });

  it('is newest first, and follows what the server says', async () => {
    const world = await connected();
    const newer = client({ id: 'c2', startedAtMs: STARTED + 1 });
    world.say(listed(newer));
    expect(world.view.clients?.map(({ id }) => id)).toEqual(['c2', 'c1']);
    world.say({ type: 'clients', changed: [{ ...newer, turns: 3 }], gone: ['c1'] });
    expect(world.view.clients).toMatchObject([{ id: 'c2', turns: 3, recording: null }]);
  });

  it('is unknown without a connection, which is tried again, later and later', async () => {
    const world = await connected();
    world.lines[0]?.handlers.ended(false);
    expect(world.view.clients).toBeNull();
    await world.advance(1000);
    expect(world.lines).toHaveLength(2);
    world.lines[1]?.handlers.ended(false);
    await world.advance(1999);
    expect(world.lines).toHaveLength(2);
    await world.advance(1);
    expect(world.lines).toHaveLength(3);
  });

  it('is not asked for again where the server captures nothing', async () => {
    const world = new RecordingWorld();
    await world.calls.watchClients();
    world.lines[0]?.handlers.ended(true);
    await world.advance(120_000);
    expect(world.lines).toHaveLength(1);
    expect(world.view.clients).toBeNull();
  });

  it('holds nothing of a client that nobody opened', async () => {
    const world = await connected();
    world.say(entries(TURN));
    await world.advance(1000);
    expect(world.lines[0]?.sent).toEqual([]);
    expect(await world.list()).toEqual([]);
  });
});

it('an injected fault is passed on to the session worker', async () => {
  const world = await connected();
  const posted: unknown[] = [];
  world.recordings.attachRecorder({
    onmessage: null,
    postMessage: (message: unknown) => posted.push(message),
  });
  const fault = { type: 'fault', mark: 'mine', atMs: STARTED + 5, what: 'reset@3' } as const;
  world.say(fault);
  expect(posted).toEqual([fault]);
});

describe('a client that is opened', () => {
  it('is recorded with the kinds and turns of its frames, beside the session', async () => {
    const { world, recording } = await opened();
    world.record([newEntry({ payload: 'own' })]);
    expect(world.lines[0]?.sent).toEqual([{ type: 'watch', client: 'c1' }]);
    world.say(entries(TURN));
    await world.advance(1000);
    expect(await all(world, recording)).toEqual([
      'connection opening null',
      'connection opened null',
      'out say 1',
      'in chunkStarted 1',
      'in audio 1',
    ]);
    expect(world.view.growing).toEqual([recording]);
    const address = 'ws://127.0.0.1:4173/kugel/ws/tts/stream';
    expect(world.view.list).toMatchObject([
      { id: recording, name: 'agent/1.0 on KugelAudio stream', entries: 5, startedAtMs: STARTED, address },
      { id: world.view.live, entries: 1 },
    ]);
  });

  it('that calls is recorded with its calls as turns', async () => {
    const world = await connected();
    const calls = { running: 1, failed: 0 };
    const address = 'http://127.0.0.1:4173/kugel';
    world.say(listed(client({ id: 'c1', endpoint: 'kugel-rest', address, calls })));
    await world.settle();
    const { recording } = await world.calls.openClient('c1');
    const of = (call: number, kind: string, message: CapturedMessage): CapturedMessage => ({
      ...message,
      kind,
      call,
    });
    world.say(
      entries([
        event(0, 'opening', { address }),
        of(1, 'request', sent(1, { method: 'GET', path: '/v1/models', headers: {} })),
        of(2, 'request', sent(2, { method: 'GET', path: '/v1/nothing', headers: {} })),
        of(2, 'error', received(3, { status: 404, reason: 'Not Found', headers: {} })),
        of(1, 'fault', event(4, 'fault', { what: 'latency=5' })),
      ]),
    );
    await world.advance(1000);
    expect(await all(world, recording.id)).toEqual([
      'connection opening null',
      'out request 1',
      'out request 2',
      'in error 2',
      'connection fault 1',
    ]);
    expect(world.view.list?.[0]).toMatchObject({
      name: 'agent/1.0 on KugelAudio REST',
      endpoint: 'kugel-rest',
      address,
    });
  });

  it('has one recording, however often it is opened', async () => {
    const { world, recording } = await opened();
    const again = await Promise.all([world.calls.openClient('c1'), world.calls.openClient('c1')]);
    expect(again.map((one) => one.recording.id)).toEqual([recording, recording]);
    expect(world.view.clients).toMatchObject([{ recording }]);
    expect(world.lines[0]?.sent).toHaveLength(1);
  });

  it('is shown and checked while it grows', async () => {
    const { world, recording } = await opened();
    await world.calls.show(recording);
    expect(world.view.shown).toMatchObject({ isLive: false, isGrowing: true, rows: 0 });
    world.say(entries([...TURN, sent(60, { text: 7 })]));
    await world.advance(300);
    expect(world.view.shown).toMatchObject({ rows: 6, isGrowing: true });
    expect(world.view.check?.groups.length).toBeGreaterThan(0);
    world.say(entries([event(90, 'closed', CLOSED)], { isLast: true }));
    await world.advance(300);
    expect(world.view.shown).toMatchObject({ rows: 7, isGrowing: false });
    expect(world.view.growing).toEqual([]);
  });

  it('is found to have broken a time limit as soon as the time has passed, without a frame', async () => {
    const { world, recording } = await opened();
    await world.calls.show(recording);
    world.say(entries([...OPENING, sent(2, { text: 'Hi.', voice_id: 1071 })]));
    await world.advance(300);
    const before = world.view.check?.groups.length;
    world.say(entries([], { untilMs: STARTED + 60_000, sentAtMs: STARTED + 60_000 }));
    await world.advance(300);
    expect(world.view.check?.groups.length).toBeGreaterThan(before ?? 0);
  });

  it('can be named, pinned, searched and deleted as any recording', async () => {
    const { world, recording } = await opened();
    world.say(entries(TURN));
    await world.calls.show(recording);
    await world.calls.change(recording, { name: 'My agent' });
    await world.calls.change(recording, { pinned: true });
    await world.advance(1000);
    expect(world.view.shown?.recording).toMatchObject({ name: 'My agent', pinned: true });
    await world.calls.delete(recording);
    await world.settle();
    expect(world.lines[0]?.sent.at(-1)).toEqual({ type: 'unwatch', client: 'c1' });
    expect(world.view.list).toEqual([]);
    expect(world.view.clients).toMatchObject([{ recording: null }]);
    world.say(entries([received(70, AUDIO)]));
    await world.advance(1000);
    expect(world.view.list).toEqual([]);
  });

  it('is there after a reload, and opened again without another recording', async () => {
    const { world, recording } = await opened();
    const end = { atMs: STARTED + 90, code: 1006, reason: '' };
    world.say(entries([...TURN, event(90, 'closed', CLOSED)], { isLast: true }));
    await world.advance(1000);
    world.reload();
    await world.calls.watchClients();
    world.say(listed(client({ end })));
    expect(await world.calls.openClient('c1')).toMatchObject({
      recording: { id: recording },
      follows: false,
    });
    expect(await all(world, recording)).toHaveLength(6);
  });

  it('opens the last of its parts after a reload', async () => {
    const { world } = await opened({ maxEntries: 5 });
    const end = { atMs: STARTED + 90, code: 1006, reason: '' };
    world.say(entries([...TURN, received(60, AUDIO), event(90, 'closed', CLOSED)], { isLast: true }));
    await world.advance(1000);
    const stored = await world.list();
    expect(stored).toHaveLength(2);
    world.reload();
    await world.calls.watchClients();
    world.say(listed(client({ end })));
    const { recording } = await world.calls.openClient('c1');
    expect(recording).toMatchObject({ id: stored.find(({ part }) => part === 2)?.id });
    expect(await world.list()).toHaveLength(2);
  });

  it('leaves no recording where the server drops it while it is opened', async () => {
    const world = await connected();
    const opening = world.calls.openClient('c1');
    const refused = expect(opening).rejects.toThrow('The server does not keep this client');
    world.say(dropped);
    await refused;
    expect(await world.list()).toEqual([]);
    expect(world.view.growing).toEqual([]);
    expect(world.lines[0]?.sent).toEqual([]);
    await expect(world.calls.openClient('c1')).rejects.toThrow('The server does not keep this client');
  });

  it('shows where the server had dropped frames, and is not blamed for them', async () => {
    const { world, recording } = await opened();
    world.say(entries([received(50, AUDIO)], { lost: 12 }));
    await world.calls.show(recording);
    await world.advance(500);
    expect(await all(world, recording)).toEqual(['connection lost null', 'in audio 1']);
    const { payload } = await (await world.recordings.open(recording)).reader.entry(0);
    expect(payload).toBe('{"entries":12}');
    expect(world.view.check).toMatchObject({ groups: [], unread: 2 });
  });

  it('goes on after a lost connection where it was, and shows what was dropped meanwhile', async () => {
    const { world, recording } = await opened();
    world.say(entries(TURN));
    await reconnect(world, client());
    expect(world.lines[1]?.sent).toEqual([{ type: 'watch', client: 'c1' }]);
    // Of ten entries, the server has dropped seven: five that are here, and two that are not.
    world.say(entries([received(80, AUDIO), received(81, AUDIO), received(82, AUDIO)], { lost: 7 }));
    expect((await all(world, recording)).slice(5)).toEqual([
      'connection lost null',
      'in audio 1',
      'in audio 1',
      'in audio 1',
    ]);
    // Nothing was dropped here, so that all of it comes again.
    await reconnect(world, client());
    world.say(entries([received(82, AUDIO), received(83, AUDIO)], { lost: 9 }));
    expect(await all(world, recording)).toHaveLength(10);
  });

  it('ends where the server has restarted', async () => {
    const { world, recording } = await opened();
    world.say(entries(TURN));
    await reconnect(world);
    expect(world.view.growing).toEqual([]);
    expect(await all(world, recording)).toHaveLength(5);
  });

  it('stays in memory, with a reason, where there is no database', async () => {
    const { world, recording } = await opened({ hasDatabase: false });
    world.say(entries([...TURN, event(90, 'closed', CLOSED)], { isLast: true }));
    await world.advance(1000);
    expect(world.failures.join()).toContain('kept in memory only');
    expect(await all(world, recording)).toHaveLength(6);
  });

  it('goes on in another one where it is as long as a recording may be', async () => {
    const { world, recording } = await opened({ maxEntries: 5 });
    world.say(entries(TURN));
    world.say(entries([received(60, AUDIO)]));
    expect(await all(world, recording)).toHaveLength(5);
    const [next = ''] = world.view.growing ?? [];
    // The opening of its connection is repeated, because the frames are read by it.
    const repeated = ['connection opening null', 'connection opened null'];
    expect(await all(world, next)).toEqual([...repeated, 'in audio 1']);
    await world.advance(1000);
    const [{ startedAtMs } = { startedAtMs: 0 }] = await world.list();
    expect(await world.list()).toMatchObject([
      { id: next, part: 2, entries: 3, durationUs: 0 },
      { id: recording, entries: 5, startedAtMs: startedAtMs - 60 },
    ]);
  });
});

describe('a recording that is followed', () => {
  const sourceOf = (world: RecordingWorld, recording: string, follows: boolean) => {
    const [near, far] = linkedPorts();
    world.recordings.serveEntries(recording, near, follows);
    return connectCalls<EntrySource>(far).calls;
  };

  it('gives entries as they come, and the time up to which none follows', async () => {
    const { world, recording } = await opened();
    world.nowMs = 1000;
    world.say(entries(TURN, { untilMs: STARTED + 60, sentAtMs: STARTED + 70 }));
    const source = sourceOf(world, recording, true);
    expect(await source.batch(0)).toMatchObject({
      entries: { length: 5 },
      isLast: false,
      // It began 70 ms ago by the clock of the server.
      tail: { knownToUs: 60_000, baseMs: 930 },
    });
    const idle = source.batch(5);
    world.nowMs = 1050;
    world.say(entries([], { untilMs: STARTED + 110, sentAtMs: STARTED + 110 }));
    expect(await idle).toEqual({ entries: [], isLast: false, tail: { knownToUs: 110_000, baseMs: 930 } });
    const more = source.batch(5);
    world.say(entries([event(120, 'closed', CLOSED)], { isLast: true }));
    expect(await more).toMatchObject({ entries: [{ kind: 'closed', atUs: 120_000 }], isLast: true });
  });

  it('ends at its present end for others', async () => {
    const { world, recording } = await opened();
    world.say(entries(TURN));
    const source = sourceOf(world, recording, false);
    expect(await source.batch(0)).toMatchObject({ isLast: true, tail: null });
  });
});

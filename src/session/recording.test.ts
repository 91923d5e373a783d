import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { RecordEntry } from '#trace/entry.ts';
import { Recorder } from './recorder/recorder.ts';
import { ReplayWorld, record } from './testing/recorded.ts';
import { A, SceneWorld } from './testing/stage.ts';
import { audioFrame, completed, ended, finished, samplesOf, started, World } from './testing/world.ts';

const KEY = 'ka_canary_1234';
const RATE = 16_000;

function recorded(world = new World()) {
  return { world, ...record(world) };
}

const aim = (world: World, base: string, key = KEY): void =>
  world.do({
    type: 'target',
    target: { endpoint: world.endpoint.id, base, key, mark: 'mine' },
    settings: {},
  });

/** Entries in words, each with what it belongs to. */
const places = (entries: readonly RecordEntry[]): string[] =>
  entries.map(({ direction, kind, turn, context, chunk, audioMs }) =>
    Object.entries({ turn, context, chunk, audioMs })
      .filter(([, value]) => value !== null)
      .reduce((words, [name, value]) => `${words}, ${name} ${value}`, `${direction} ${kind}`),
  );

const payloads = (entries: readonly RecordEntry[]): string[] =>
  entries.map(({ payload }) =>
    typeof payload === 'string' ? payload : new TextDecoder().decode(payload ?? undefined),
  );

describe('the recording of a session', () => {
  it('ends a text by the disconnect where its flush could not go out, as its session and its replay do', () => {
    const { world, entries } = recorded(new SceneWorld({ speakers: [A] }));
    const perform = (text: string) =>
      world.do({
        type: 'perform',
        lines: [{ speaker: 'a', text, line: 0 }],
        source: { kind: 'whole' },
        closeAfter: false,
      });
    perform('Hello.');
    world.do({ type: 'disconnect' });
    world.advance(100);
    expect(places(entries()).slice(-3)).toEqual([
      'out say, turn 1, context a',
      'player disconnected',
      'out disconnect, turn 1',
    ]);
    const { flushedMs, state } = world.turn(1);
    expect({ flushedMs, state }).toEqual({ flushedMs: expect.any(Number), state: 'waiting' });
    const again = new ReplayWorld(world.endpoint);
    again.play(entries());
    again.advance(1000);
    expect(again.turn(1)).toMatchObject({ state: 'waiting', textFrames: 1 });
  });

  it('has all that happens in a turn, each with what it belongs to', () => {
    const { world, entries } = recorded();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    for (const frame of [started('Hello.'), audioFrame(samplesOf(40)), completed(), finished, ended()])
      socket.say(frame);
    socket.close(1001, 'going away');
    expect(places(entries())).toEqual([
      'connection opening',
      'connection opened',
      'out open',
      'player begun, turn 1',
      'out say, turn 1',
      'out flush, turn 1',
      'in chunkStarted, turn 1, chunk 0',
      'in audio, turn 1, chunk 0, audioMs 40',
      'in chunkCompleted, turn 1, chunk 0',
      'in audioEnded, turn 1',
      'in turnEnded, turn 1',
      'connection failed',
      'connection retrying',
    ]);
    const closed = entries().find(({ kind }) => kind === 'failed');
    expect(JSON.parse(String(closed?.payload))).toMatchObject({ code: 1001, reason: 'going away' });
  });

  it('has unreadable frames, errors, and speech without a request with the turn that it opens', () => {
    const { world, entries } = recorded();
    const socket = world.connect();
    for (const frame of ['{', { novel: 1 }, { error: 'No.', code: 400 }, audioFrame(samplesOf(20))])
      socket.say(frame);
    expect(places(entries()).slice(-4)).toEqual([
      'in malformed',
      'in unknown',
      'in error',
      'in audio, turn 1, chunk 0, audioMs 20',
    ]);
  });

  it('gives each context its frames', () => {
    const stage = new SceneWorld();
    const { entries } = record(stage);
    stage.performOpened(['a']);
    stage.says('a', audioFrame(samplesOf(20)));
    stage.says('stranger', audioFrame(samplesOf(20)));
    const seen = places(entries());
    expect(seen).toContain('out say, turn 1, context a');
    expect(seen.slice(-4)).toEqual([
      'in contextOpened, turn 1, context a',
      'out flush, turn 1, context a',
      'in audio, turn 1, context a, chunk 0, audioMs 20',
      'in audio, context stranger, chunk 0, audioMs 20',
    ]);
  });

  it('begins with its first entry, counts microseconds from there, and has sizes in UTF-8', () => {
    const { world, posted, entries } = recorded();
    world.advance(100);
    expect(posted).toEqual([]);
    const startedAtMs = world.nowMs;
    world.do({ type: 'connect' });
    world.advance(0.0625);
    world.socket.open();
    world.sendsNonsense = true;
    world.do({ type: 'sendFrame', frame: 'é' });
    world.socket.say('x'.repeat(200_000));
    world.socket.say(new Uint8Array(3));
    const [opening, opened, , sent, ...received] = entries();
    expect(posted[0]).toEqual({
      type: 'begin',
      start: { endpoint: 'kugel-stream', address: `ws://server/prefix${world.endpoint.path}`, startedAtMs },
    });
    expect([opening, opened]).toMatchObject([
      { atUs: 0, direction: 'connection', opcode: 'none', connection: 1 },
      { atUs: 63, kind: 'opened' },
    ]);
    expect(JSON.parse(String(opening?.payload))).toEqual({
      address: `ws://server/prefix${world.endpoint.path}`,
      format: { encoding: 'pcm_s16le', sampleRate: 24_000 },
    });
    expect(opening?.bytes).toBe(String(opening?.payload).length);
    expect([sent, ...received]).toMatchObject([
      { opcode: 'text', bytes: 2 },
      { opcode: 'text', bytes: 200_000 },
      { opcode: 'binary', bytes: 3 },
    ]);
    expect(world.seen.connection).toMatchObject({ framesSent: 2, framesReceived: 2, bytesReceived: 200_003 });
  });

  it('numbers connections through retries, and ends with its server, whose numbers continue in the next', () => {
    const { world, posted, entries } = recorded();
    world.connect().close(1006);
    world.advance(1000);
    world.socket.open();
    expect(world.seen.connection?.framesReceived).toBe(0);
    aim(world, 'ws://other');
    world.do({ type: 'connect' });
    const seen = entries().filter(({ direction }) => direction === 'connection');
    expect(seen.map(({ connection, kind }) => `${connection} ${kind}`)).toEqual([
      '1 opening',
      '1 opened',
      '1 failed',
      '1 retrying',
      '2 opening',
      '2 opened',
      '2 closed',
      '1 opening',
    ]);
    let number = 0;
    for (const message of posted) {
      if (message.type !== 'entries') continue;
      expect(message.first).toBe(number);
      number += message.entries.length;
    }
    expect(posted.filter(({ type }) => type === 'begin')).toHaveLength(2);
    expect(seen.at(-1)?.atUs).toBe(0);
  });

  it('ends behind its last entries, which wait for frames that are still being read', () => {
    const world = new World();
    const posted: RecorderMessage[] = [];
    const recorder = new Recorder(world.environment);
    recorder.attach({ postMessage: (message) => posted.push(structuredClone(message)) });
    recorder.aim('kugel-stream', () => 'ws://server', KEY);
    const connection = recorder.connection();
    const frame = connection.inwards('{"final":true}', world.nowMs);
    const release = recorder.hold();
    recorder.end();
    world.advance(1000);
    expect(posted.map(({ type }) => type)).toEqual(['begin']);
    connection.understood(frame, { kind: 'turnEnded' });
    release();
    connection.inwards('{"late":true}', world.nowMs);
    world.advance(1000);
    expect(posted.map(({ type }) => type)).toEqual(['begin', 'entries', 'end']);
    expect(posted[1]).toMatchObject({ entries: [{ kind: 'turnEnded' }] });
  });

  it('holds no key and no field that names one', () => {
    const { world, posted, entries } = recorded();
    aim(world, 'wss://host?api_key=other-secret');
    const socket = world.connect();
    world.do({ type: 'speak', text: `My key is ${KEY}.` });
    world.sendsNonsense = true;
    for (const frame of [
      '{"text":"hi","deep":[{"authorization":"Bearer other-secret"}]}',
      '{"xi_api_key":"other-secret","single_use_token":"other-secret"}',
    ])
      world.do({ type: 'sendFrame', frame });
    const sent = payloads(entries()).slice(-2);
    expect(sent[0]).toBe('{"text":"hi","deep":[{"authorization":"[key]"}]}');
    expect(sent[1]).toBe('{"xi_api_key":"[key]","single_use_token":"[key]"}');
    socket.say({ error: `bad key ${KEY}, wss://host?api_key=other-secret`, code: 401 });
    socket.say(new TextEncoder().encode(`bad key ${KEY}`));
    socket.close(4001, `bad key ${KEY}`);
    world.advance(100);
    const all = JSON.stringify(posted) + payloads(entries()).join();
    expect(all).not.toMatch(/canary|other-secret/);
  });

  it.each([
    ['1', { code: 1011, reason: 'no key [key]' }],
    ['code', { code: 1011, reason: 'no key 1' }],
  ])('has readable events of a connection with the key %s', (key, expected) => {
    const { world, entries } = recorded();
    aim(world, 'ws://server', key);
    world.connect().close(1011, 'no key 1');
    const closed = entries().find(({ kind }) => kind === 'failed');
    expect(JSON.parse(String(closed?.payload))).toMatchObject(expected);
  });
});

describe('a fault on purpose', () => {
  /** A connection with faults, which was opened half a second ago. */
  function faulty() {
    const all = recorded();
    aim(all.world, 'ws://server/faults/latency=20,mark=mine/kugel');
    const openedMs = all.world.nowMs;
    all.world.connect();
    all.world.advance(500);
    const strike = (mark: string, what: string, atMs: number) =>
      all.report({ type: 'fault', mark, what, atMs });
    const strikes = () => all.entries().filter(({ kind }) => kind === 'fault');
    const marks = () => all.world.marks.filter(({ kind }) => kind === 'fault');
    return { ...all, openedMs, strike, strikes, marks };
  }

  it('is an entry and a mark at its time, on its own connection only', () => {
    const { world, openedMs, strike, strikes, marks } = faulty();
    const struckMs = world.nowMs - 40;
    strike('other', 'reset@3', struckMs);
    expect([...strikes(), ...marks()]).toEqual([]);
    strike('mine', 'reset@3', struckMs);
    const [entry] = strikes();
    expect(entry).toMatchObject({ direction: 'connection', connection: 1, payload: '{"what":"reset@3"}' });
    expect(entry?.atUs).toBe((struckMs - openedMs) * 1000);
    expect(marks()).toMatchObject([{ atMs: struckMs, context: null, text: 'reset@3', frame: entry?.index }]);
  });

  it('is on its connection also where the clock of the server is ahead or behind', () => {
    const { world, openedMs, strike, strikes, marks } = faulty();
    const nowMs = world.nowMs;
    for (const offMs of [60_000, -60_000]) strike('mine', 'reset@3', nowMs + offMs);
    expect(strikes()).toHaveLength(2);
    expect(marks().map(({ atMs }) => atMs)).toEqual([nowMs, openedMs]);
  });

  it('follows the frame that it changed, at no earlier time', () => {
    const { world, entries, strike } = faulty();
    world.socket.say({ cut: 1 });
    const saidMs = world.nowMs;
    world.advance(5);
    strike('mine', 'odd-byte@1', saidMs - 1);
    const [before, last] = entries().slice(-2);
    expect([before?.direction, last?.kind]).toEqual(['in', 'fault']);
    expect(last?.atUs).toBe(before?.atUs);
  });

  it('is marked in a replay', () => {
    const { world, entries, strike } = faulty();
    strike('mine', 'stall=700@2', world.nowMs);
    const again = new ReplayWorld(endpointOf(null));
    const startedMs = again.nowMs;
    again.play(entries());
    again.advance(1000);
    const marks = again.marks.filter(({ kind }) => kind === 'fault');
    expect(marks).toMatchObject([{ text: 'stall=700@2', atMs: startedMs + 501 }]);
  });
});

describe('the recording of what was heard', () => {
  /** Too quiet for a ramp where it begins or ends, and never silent. */
  const quiet = (length: number, from = 0): Int16Array =>
    Int16Array.from({ length }, (_, i) => 1 + ((from + i) % 40));

  /** A turn is sent, and the server has spoken so many samples. */
  function speaking(samples: number) {
    const all = recorded();
    const attachedMs = all.world.nowMs;
    all.world.attachPlayer(RATE);
    const socket = all.world.connect();
    all.world.do({ type: 'speak', text: 'Hello.' });
    socket.say(started('Hello.'));
    if (samples > 0) socket.say(audioFrame(quiet(samples)));
    /** The output's sample that left the speakers at that time of the recording. */
    const frameAt = (atUs: number): number => {
      const [begin] = all.posted.flatMap((message) => (message.type === 'begin' ? [message.start] : []));
      return Math.round((((begin?.startedAtMs ?? 0) - attachedMs) / 1000 + atUs / 1e6) * RATE);
    };
    return { ...all, socket, frameAt };
  }

  it('has every sample that left the speakers, at its time, for any arrivals and cancels', () => {
    const frames = fc.array(fc.record({ samples: fc.nat(1200), thenMs: fc.nat(200) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(frames, fc.option(fc.nat(900)), (pieces, cancelMs) => {
        const { world, socket, played, frameAt } = speaking(0);
        const from = world.nowMs;
        let isCancelled = false;
        const cancelDue = () => {
          if (isCancelled || cancelMs === null || world.nowMs < from + cancelMs) return;
          isCancelled = true;
          world.do({ type: 'cancel' });
        };
        let sent = 0;
        for (const { samples, thenMs } of pieces) {
          socket.say(audioFrame(quiet(samples, sent)));
          sent += samples;
          world.advance(thenMs);
          cancelDue();
        }
        if (!isCancelled) socket.say(ended());
        world.advance(2000);
        cancelDue();
        world.advance(600);
        const [record, ...more] = played('heard');
        expect(more).toEqual([]);
        const expected = new Array<number>(world.heard.length).fill(0);
        for (const { sample, count, atUs } of record?.spans ?? []) {
          const frame = frameAt(atUs);
          quiet(count, sample).forEach((value, i) => {
            expected[frame + i] = value;
          });
        }
        // Not by `toEqual`, which takes a second for as many numbers.
        const differs = world.heard.findIndex((value, at) => Math.round(value * 32_768) !== expected[at]);
        expect([differs, expected.length]).toEqual([-1, world.heard.length]);
      }),
      { numRuns: 8, examples: [[[{ samples: 0, thenMs: 0 }], 0]] },
    );
  });

  it('has an underrun with its length to the sample, once it is over', () => {
    const { world, socket, played } = speaking(6400);
    world.advance(1000);
    expect(played('underrun')).toEqual([]);
    socket.say(audioFrame(quiet(6400)));
    socket.say(ended());
    world.advance(1500);
    const [record] = played('heard');
    const [first, second] = record?.spans ?? [];
    const silentUs = (second?.atUs ?? 0) - (first?.atUs ?? 0) - (6400 / RATE) * 1e6;
    const samples = Math.round((silentUs / 1e6) * RATE);
    expect(played('underrun')).toMatchObject([
      { turn: 1, sampleRate: RATE, sample: 6400, samples, end: 'resumed' },
    ]);
    expect(second?.sample).toBe(6400);
  });

  it('has from which sample a turn was dropped, and why', () => {
    const { world, socket, played } = speaking(RATE);
    world.advance(500);
    world.do({ type: 'cancel' });
    socket.say(audioFrame(quiet(100)));
    const [record] = played('heard');
    expect(record).toMatchObject({ turn: 1, samples: RATE, dropped: { why: 'cancel' } });
    expect(record?.dropped?.sample).toBe(world.heard.filter((value) => value !== 0).length);
  });

  it('has a turn that was cancelled before its first audio', () => {
    const { world, played } = speaking(0);
    world.do({ type: 'cancel' });
    expect(played('heard')).toMatchObject([
      { turn: 1, sampleRate: null, samples: 0, spans: [], dropped: { sample: 0, why: 'cancel' } },
    ]);
  });

  it('stays in the recording of the server that spoke it', () => {
    const { world, posted, entries, played } = speaking(RATE);
    world.advance(500);
    aim(world, 'ws://other');
    world.advance(700);
    expect(played('heard')).toMatchObject([{ dropped: { why: 'otherServer' } }]);
    expect(places(entries()).slice(-2)).toEqual(['player heard, turn 1', 'connection closed']);
    expect(posted.filter(({ type }) => type === 'begin')).toHaveLength(1);
  });

  it('does not count a repeat', () => {
    const { world, socket, played } = speaking(3200);
    socket.say(ended());
    world.advance(1000);
    world.do({ type: 'repeat', turn: 1, fromSample: 0 });
    world.advance(1000);
    world.do({ type: 'stopRepeat' });
    world.advance(1000);
    const spans = [{ sample: 0, count: 3200 }];
    expect(played('heard')).toMatchObject([
      { turn: 1, sampleRate: RATE, samples: 3200, spans, dropped: null },
    ]);
  });

  it('continues on another output', () => {
    const { world, socket, played } = speaking(RATE);
    socket.say(ended());
    world.advance(500);
    world.do({ type: 'detachPlayer' });
    world.advance(300);
    world.attachPlayer(RATE);
    world.advance(1500);
    const [record] = played('heard');
    expect(record).toMatchObject({ samples: RATE, dropped: null });
    const [first, second, ...more] = record?.spans ?? [];
    expect(more).toEqual([]);
    expect(second?.sample).toBe(first?.count);
    expect((first?.count ?? 0) + (second?.count ?? 0)).toBe(RATE);
  });

  it('has each line of a script for itself', () => {
    const stage = new SceneWorld();
    const { played } = record(stage);
    stage.performOpened(['a', 'b'], { interrupts: 1 });
    for (const context of ['a', 'b']) stage.begins(context, 4000, 30);
    stage.advance(9000);
    const [first] = played('heard');
    expect(first).toMatchObject({ turn: 1, dropped: { why: 'bargeIn' } });
    expect(first?.spans.length).toBe(1);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEntry } from '#record/record.ts';
import { type PlayerRecord, playerRecordOf } from '#recordings/format/player-entry.ts';
import type { FeedMessage } from '#recordings/messages.ts';
import { Stage } from './testing/stage.ts';
import { audioFrame, ended, started, World } from './testing/world.ts';

const RATE = 16_000;

/** A world that is recorded and heard; what the recording has of its player. */
function heardWorld(world = new World()) {
  const posted: FeedMessage[] = [];
  const port = { postMessage: (message: FeedMessage) => posted.push(structuredClone(message)) };
  // Only what a feed uses is there.
  world.do({ type: 'attachRecordings', port: port as unknown as MessagePort });
  const startedMs = world.nowMs;
  world.attachPlayer(RATE);
  const entries = (): NewEntry[] =>
    posted.flatMap((message) => (message.type === 'entries' ? [...message.entries] : []));
  const recordingStartMs = (): number =>
    posted.flatMap((message) => (message.type === 'begin' ? [message.start.startedAtMs] : []))[0] ?? 0;
  const of = <Kind extends 'heard' | 'underrun'>(kind: Kind) =>
    entries()
      .filter((entry) => entry.kind === kind)
      .map((entry) => ({
        ...(playerRecordOf(entry) as Extract<PlayerRecord, { kind: Kind }>),
        turn: entry.turn,
      }));
  /** The output's sample that left the speakers at that time of the recording. */
  const frameAt = (atUs: number): number =>
    Math.round(((recordingStartMs() + atUs / 1000 - startedMs) / 1000) * RATE);
  return { world, posted, entries, of, frameAt };
}

/** Too quiet for a ramp where it begins or ends, and never silent. */
const quiet = (length: number, from = 0): Int16Array =>
  Int16Array.from({ length }, (_, i) => 1 + ((from + i) % 40));

describe('The recording of what was heard', () => {
  it('has every sample that left the speakers, at its time, for any arrivals and cancels', () => {
    const frames = fc.array(fc.record({ samples: fc.nat(1200), thenMs: fc.nat(200) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(frames, fc.option(fc.nat(900)), (pieces, cancelMs) => {
        const { world, of, frameAt } = heardWorld();
        const socket = world.connect();
        world.do({ type: 'speak', text: 'Hello.' });
        socket.say(started('Hello.'));
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
        const [record, ...more] = of('heard');
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
      { numRuns: 40, examples: [[[{ samples: 0, thenMs: 0 }], 0]] },
    );
  });

  it('says of a turn that was heard to its end that nothing was dropped', () => {
    const { world, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    for (const frame of [started('Hello.'), audioFrame(quiet(3200)), ended()]) socket.say(frame);
    world.advance(1000);
    expect(of('heard')).toMatchObject([
      { turn: 1, sampleRate: RATE, samples: 3200, spans: [{ sample: 0, count: 3200 }], dropped: null },
    ]);
  });

  it('has an underrun with its length to the sample, once it is over', () => {
    const { world, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    socket.say(started('Hello.'));
    socket.say(audioFrame(quiet(6400)));
    world.advance(1000);
    expect(of('underrun')).toEqual([]);
    socket.say(audioFrame(quiet(6400)));
    socket.say(ended());
    world.advance(1500);
    const [record] = of('heard');
    const [first, second] = record?.spans ?? [];
    const silentUs = (second?.atUs ?? 0) - (first?.atUs ?? 0) - (6400 / RATE) * 1e6;
    expect(of('underrun')).toMatchObject([
      {
        turn: 1,
        sampleRate: RATE,
        sample: 6400,
        samples: Math.round((silentUs / 1e6) * RATE),
        end: 'resumed',
      },
    ]);
    expect(second?.sample).toBe(6400);
  });

  it('says from which sample on a turn was dropped, and why', () => {
    const { world, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    socket.say(started('Hello.'));
    socket.say(audioFrame(quiet(RATE)));
    world.advance(500);
    world.do({ type: 'cancel' });
    socket.say(audioFrame(quiet(100)));
    world.advance(100);
    const [record] = of('heard');
    expect(record).toMatchObject({ turn: 1, samples: RATE, dropped: { why: 'cancel' } });
    expect(record?.dropped?.sample).toBe(world.heard.filter((value) => value !== 0).length);
  });

  it('says so of a turn that was cancelled before anything came of it', () => {
    const { world, of } = heardWorld();
    world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    world.do({ type: 'cancel' });
    world.advance(100);
    expect(of('heard')).toMatchObject([
      { turn: 1, sampleRate: null, samples: 0, spans: [], dropped: { sample: 0, why: 'cancel' } },
    ]);
  });

  it('stays in the recording of the server that it came from', () => {
    const { world, posted, entries, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    socket.say(started('Hello.'));
    socket.say(audioFrame(quiet(RATE)));
    world.advance(500);
    world.do({
      type: 'target',
      target: { endpoint: world.endpoint.id, base: 'ws://other', key: '' },
      settings: {},
    });
    world.advance(700);
    expect(of('heard')).toMatchObject([{ dropped: { why: 'otherServer' } }]);
    expect(
      entries()
        .slice(-2)
        .map(({ kind }) => kind),
    ).toEqual(['heard', 'closed']);
    expect(posted.filter(({ type }) => type === 'begin')).toHaveLength(1);
  });

  it('does not count what is played again', () => {
    const { world, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    for (const frame of [started('Hello.'), audioFrame(quiet(3200)), ended()]) socket.say(frame);
    world.advance(1000);
    world.do({ type: 'replay', turn: 1, fromSample: 0 });
    world.advance(1000);
    world.do({ type: 'stopReplay' });
    world.advance(1000);
    expect(of('heard')).toHaveLength(1);
  });

  it('has it where the output went away in the middle, and another one took over', () => {
    const { world, of } = heardWorld();
    const socket = world.connect();
    world.do({ type: 'speak', text: 'Hello.' });
    for (const frame of [started('Hello.'), audioFrame(quiet(RATE)), ended()]) socket.say(frame);
    world.advance(500);
    world.do({ type: 'detachPlayer' });
    world.advance(300);
    world.attachPlayer(RATE);
    world.advance(1500);
    const [record] = of('heard');
    expect(record).toMatchObject({ samples: RATE, dropped: null });
    const [first, second, ...more] = record?.spans ?? [];
    expect(more).toEqual([]);
    expect(second?.sample).toBe(first?.count);
    expect((first?.count ?? 0) + (second?.count ?? 0)).toBe(RATE);
  });

  it('gives each line of a scene its own', () => {
    const stage = new Stage();
    const { of } = heardWorld(stage);
    stage.performOpened(['a', 'b'], { interrupts: 1 });
    for (const context of ['a', 'b']) stage.begins(context, 4000, 30);
    stage.advance(8000);
    const [first] = of('heard');
    expect(first).toMatchObject({ turn: 1, dropped: { why: 'bargeIn' } });
    expect(first?.spans.length).toBe(1);
  });
});

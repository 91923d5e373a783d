import { describe, expect, it } from 'vitest';
import { decodeG711Into, encodeG711, type G711Law } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { decoders } from './decoders.ts';
import { Feeder } from './feeder.ts';
import { Mixer } from './mixer.worklet.ts';
import { openSink, type Transport } from './ring.ts';
import { mp3Of, toneSyllables } from './testing/mp3.ts';
import { portPair } from './testing/port-pair.ts';
import { marked } from './testing/traces.ts';
import type { PlayEvent, PlayedSamples } from './turn-stream.ts';

const QUANTUM = 128;
const GLIDE_SAMPLES = 64;
/** Over messages, the status is as old as this. */
const REPORT_QUANTA = 4;
/** The stream's count passes the end of 32 bits. */
const START_POSITION = 2 ** 31 - 150;

const base64 = (bytes: Uint8Array) => ({ base64: Buffer.from(bytes).toString('base64') });

/** Audio that begins and ends in silence, so that it gets no ramp. */
function speech(count: number, seed: number): Int16Array {
  const samples = marked(count, seed);
  samples[0] = 0;
  samples[count - 1] = 0;
  return samples;
}

/** A player with an audio thread that the test drives. */
function setUp(sampleRate = 24_000, transport: Transport = 'shared', capacity = 2 ** 16) {
  const player = new Feeder();
  const host = new Mixer();
  let frame = 0;
  const events: PlayEvent[] = [];
  const played: PlayedSamples[] = [];
  const attach = (rate = sampleRate) => {
    const [worklet, worker] = portPair();
    host.open('only', worklet);
    player.attach(openSink(worker, { transport, capacity, startPosition: START_POSITION }), rate);
  };
  return {
    player,
    host,
    events,
    attach,
    receive: (turn: number, samples: Int16Array, atMs = 0) =>
      player.receive(turn, base64(bytesFromSamples(samples)), 'pcm_s16le', sampleRate, atMs),
    /** Renders until nothing is left, or for some quanta; polls as the worker's timer does. */
    listen(quanta: number): number[] {
      const heard: number[] = [];
      const output = new Float32Array(QUANTUM);
      for (let i = 0; i < quanta; i += 1) {
        host.process(output, new Float32Array(output.length), frame);
        frame += QUANTUM;
        for (const value of output) heard.push(value * 32_768);
        if (i % 4 === 3) {
          const report = player.poll();
          events.push(...(report?.events ?? []));
          played.push(...(report?.played ?? []));
        }
      }
      return heard;
    },
    /** The audio frame at which a sample of a turn left the player; null where it did not. */
    frameOf(turn: number, sample: number): number | null {
      const run = played.find(
        (one) => one.turn === turn && sample >= one.sample && sample < one.sample + one.count,
      );
      return run ? run.frame + sample - run.sample : null;
    },
  };
}

const silence = (count: number) => Array.from({ length: count }, () => 0);

describe.each<Transport>(['shared', 'message'])('over %s', (transport) => {
  const formats: ['pcm_s16le' | G711Law, number][] = [
    ['pcm_s16le', 8000],
    ['pcm_s16le', 16_000],
    ['pcm_s16le', 22_050],
    ['pcm_s16le', 24_000],
    ['mulaw', 8000],
    ['alaw', 8000],
  ];

  it.each(formats)('%s at %i Hz is heard to the bit', (encoding, sampleRate) => {
    const { player, attach, listen } = setUp(sampleRate, transport);
    attach();
    const sent = speech(2 * sampleRate + 13, 6);
    const codes = encoding === 'pcm_s16le' ? bytesFromSamples(sent) : encodeG711(encoding, sent);
    const expected = sent.slice();
    if (encoding !== 'pcm_s16le') decodeG711Into(encoding, codes, expected);
    for (let from = 0; from < codes.length; from += 961) {
      player.receive(1, base64(codes.subarray(from, from + 961)), encoding, sampleRate, 0);
    }
    player.complete(1);
    const heard = listen(Math.ceil(sent.length / QUANTUM) + 8);
    const start = heard.indexOf(expected[1] ?? 0) - 1;
    expect(heard.slice(start, start + expected.length)).toEqual([...expected]);
  });

  it('MP3 is heard to its last sample, cut anywhere', async () => {
    const { player, attach, listen, events } = setUp(24_000, transport);
    attach();
    const bytes = await mp3Of(toneSyllables(24_000, 24_000), 24_000);
    await decoders.ready('mp3');
    const added: number[] = [];
    for (let from = 0; from < bytes.length; from += 961) {
      const taken = player.receive(1, base64(bytes.subarray(from, from + 961)), 'mp3', 24_000, 0);
      if ('samples' in taken) added.push(taken.samples);
    }
    player.complete(1);
    const expected = [...(player.store(1)?.slice() ?? [])];
    expect([added.reduce((sum, count) => sum + count, 0), expected.length]).toEqual([25_344, 25_344]);
    const heard = listen(Math.ceil(expected.length / QUANTUM) + 8);
    const loud = expected.findIndex((sample) => sample !== 0);
    const start = heard.findIndex((sample) => sample !== 0) - loud;
    expect(heard.slice(start, start + expected.length)).toEqual(expected);
    expect(events.map(({ kind, at }) => [kind, at?.sample])).toEqual([
      ['started', 0],
      ['ended', 25_344],
    ]);
  });

  it('a barge-in plays nothing old and all of the new turn, received in the same tick', () => {
    const { player, attach, receive, listen, events } = setUp(24_000, transport);
    attach();
    receive(1, speech(48_000, 1));
    listen(8);
    player.clear();
    const fresh = speech(9600, 2);
    receive(2, fresh);
    player.complete(2);
    const heard = listen(84);
    expect(heard.slice(64, 64 + 9600)).toEqual([...fresh]);
    expect(heard.slice(64 + 9600)).toEqual(silence(84 * QUANTUM - 9664));
    expect(events.map(({ kind, at }) => [kind, at?.turn, at?.sample])).toEqual([
      ['started', 1, 0],
      ['cleared', 1, 1024],
      ['started', 2, 0],
      ['ended', 2, 9600],
    ]);
  });
});

describe('a ring full of what was cleared', () => {
  it.each<Transport>(['shared', 'message'])(
    'makes new audio wait a moment and loses none of it, over %s',
    (transport) => {
      const { player, attach, receive, listen } = setUp(24_000, transport, 2 ** 14);
      attach();
      receive(1, speech(48_000, 1));
      listen(8);
      player.clear();
      const fresh = speech(30_000, 2);
      receive(2, fresh);
      player.complete(2);
      const heard = listen(260);
      const start = heard.indexOf(fresh[1] ?? 0) - 1;
      expect(start).toBeLessThan(8 * QUANTUM);
      expect(heard.slice(start, start + 30_000)).toEqual([...fresh]);
    },
  );
});

describe('turns', () => {
  it('follow one another without a break, and each sample is known by its turn', () => {
    const { player, attach, receive, listen, events, frameOf } = setUp();
    attach();
    const [first, second] = [speech(1000, 1), speech(1000, 2)];
    receive(1, first);
    player.complete(1);
    receive(2, second);
    player.complete(2);
    expect(listen(4).slice(0, 512)).toEqual([...first.subarray(0, 512)]);
    expect(player.poll()).toMatchObject({
      head: { turn: 1, sample: 512 },
      queuedSamples: 1488,
      state: 'playing',
    });
    listen(8);
    expect(player.poll()).toMatchObject({ head: { turn: 2, sample: 536 } });
    listen(8);
    expect(player.poll()).toMatchObject({ head: { turn: 2, sample: 1000 }, queuedSamples: 0, state: 'idle' });
    expect(events.map(({ kind }) => kind)).toEqual(['started', 'ended']);
    expect([frameOf(1, 0), frameOf(1, 999), frameOf(2, 0)]).toEqual([0, 999, 1000]);
  });

  it('have the audio frame of each heard sample, through an underrun, and of no other', () => {
    const { attach, player, receive, listen, events, frameOf } = setUp();
    attach();
    receive(1, speech(1000, 1));
    listen(48);
    const more = speech(11_000, 2);
    for (let from = 0; from < 11_000; from += 1000) receive(1, more.subarray(from, from + 1000));
    listen(8);
    expect(events.map(({ kind, at, frame }) => [kind, at?.sample, frame])).toEqual([
      ['started', 0, events[0]?.frame],
      ['underrun', 1000, (events[0]?.frame ?? 0) + 1000],
      ['resumed', 1000, 48 * QUANTUM],
    ]);
    expect(frameOf(1, 1001)).toBe(48 * QUANTUM + 1);
    expect(frameOf(1, 11_000)).toBeNull();
    expect(player.target.reason).toContain('after an underrun');
  });

  it('end at their own last sample, also where the next one is there before the report', () => {
    const { player, attach, receive, listen, events } = setUp();
    attach();
    for (const turn of [1, 2]) {
      receive(turn, speech(200, turn));
      player.complete(turn);
      // Too short for a report.
      listen(3);
    }
    listen(4);
    expect(events.map(({ kind, at }) => [kind, at])).toEqual([
      ['started', { turn: 1, sample: 0 }],
      ['ended', { turn: 1, sample: 200 }],
      ['started', { turn: 2, sample: 0 }],
      ['ended', { turn: 2, sample: 200 }],
    ]);
  });

  it('that a barge-in cut off are heard up to there', () => {
    const { player, attach, receive, listen, frameOf } = setUp();
    attach();
    receive(1, speech(48_000, 1));
    listen(4);
    player.clear();
    listen(4);
    expect([frameOf(1, 511), frameOf(1, 512)]).toEqual([511, null]);
  });
});

describe('an audio thread that has not followed a clear yet', () => {
  it('has all that was queued since then in front of it', () => {
    const { player, attach, receive, listen } = setUp();
    attach();
    receive(1, speech(48_000, 1));
    listen(4);
    player.clear();
    expect(player.poll()?.queuedSamples).toBe(0);
    receive(2, speech(3000, 2));
    receive(3, speech(1000, 3));
    expect(player.poll()?.queuedSamples).toBe(4000);
    player.hold(3);
    expect(player.poll()?.queuedSamples).toBe(3000);
    listen(4);
    player.complete(3);
    expect(player.poll()?.queuedSamples).toBe(3000 - 4 * QUANTUM + GLIDE_SAMPLES);
  });
});

describe('a repeat', () => {
  it('replaces the playing turn, from any sample, and reports its end', () => {
    const { player, attach, receive, listen, events } = setUp();
    attach();
    const turn = speech(30_000, 1);
    turn[20_000] = 0;
    receive(1, turn);
    player.complete(1);
    listen(300);
    events.length = 0;
    expect(player.repeat(1, 20_000)).toBe(true);
    expect(player.repeating).toBe(1);
    expect(listen(80).slice(0, 10_000)).toEqual([...turn.subarray(20_000)]);
    expect(player.repeating).toBeNull();
    expect(events).toMatchObject([
      { kind: 'started', at: { turn: 1, sample: 20_000 } },
      { kind: 'ended', at: { turn: 1, sample: 30_000 } },
    ]);
  });

  it('ends when a new turn speaks', () => {
    const { player, attach, receive, listen } = setUp();
    attach();
    receive(1, speech(30_000, 1));
    player.complete(1);
    listen(300);
    player.repeat(1, 0);
    listen(4);
    const fresh = speech(9600, 2);
    receive(2, fresh);
    player.complete(2);
    expect(player.repeating).toBeNull();
    expect(listen(80).slice(64, 9664)).toEqual([...fresh]);
  });

  it('is refused for samples that are not there', () => {
    const { player, attach, receive } = setUp();
    attach();
    receive(1, speech(100, 1));
    expect([player.repeat(1, 100), player.repeat(1, -1), player.repeat(2, 0)]).toEqual([false, false, false]);
    player.forget(1);
    expect(player.repeat(1, 0)).toBe(false);
  });
});

describe('enough audio to start', () => {
  /** At the first frame of 100 ms, the target is 160 ms. */
  const frame = speech(2400, 3);

  it.each([
    ['one frame', 1, false, false],
    ['a second frame, above the target', 2, false, true],
    ['one frame that is the whole turn', 1, true, true],
  ])('%s: the worker and the audio thread agree', (_, frames, isComplete, isEnough) => {
    const { player, attach, receive, listen } = setUp();
    attach();
    for (let count = 0; count < frames; count += 1) receive(1, frame);
    if (isComplete) player.complete(1);
    expect(player.hasEnough(1)).toBe(isEnough);
    expect(listen(1).some((sample) => sample !== 0)).toBe(isEnough);
  });

  it('is counted of each turn by itself, also without an output', () => {
    const { player, receive } = setUp();
    receive(1, frame);
    receive(1, frame);
    player.complete(1);
    receive(2, frame);
    expect([1, 2, 3].map((turn) => player.hasEnough(turn))).toEqual([true, false, false]);
  });
});

describe('an output that comes late', () => {
  it('plays nothing that was cleared before it came', () => {
    const { player, attach, receive, listen } = setUp();
    receive(1, speech(5000, 1));
    expect(player.clear()).toBeNull();
    attach();
    expect(listen(4)).toEqual(silence(512));
  });

  it('of another rate is what a turn of another rate waits for', () => {
    const { player, attach, receive, listen } = setUp(8000);
    attach(24_000);
    const turn = speech(5000, 1);
    receive(1, turn);
    expect(listen(8)).toEqual(silence(1024));
    expect(player.wantedSampleRate).toBe(8000);
    attach(8000);
    expect(player.wantedSampleRate).toBeNull();
    player.complete(1);
    expect(listen(44).slice(64, 5000)).toEqual([...turn.subarray(64)]);
  });
});

describe('a held turn', () => {
  /** Never silent, and so quiet that nothing is put before or behind it, wherever it is cut. */
  const quiet = (count: number, seed: number) =>
    Int16Array.from(marked(count, seed), (value) => 1 + Math.abs(value % 60));
  const sounds = (heard: readonly number[]) => heard.filter((value) => value !== 0);

  it('is received and kept, is not heard, and asks for no output', () => {
    const { player, attach, receive, listen } = setUp();
    expect(player.hold(1)).toBe(true);
    receive(1, quiet(3000, 1));
    expect([player.wantedSampleRate, player.waitingSamples]).toEqual([null, 3000]);
    attach();
    player.complete(1);
    expect(listen(40)).toEqual(silence(40 * QUANTUM));
    expect(player.store(1)?.length).toBe(3000);
    player.detach();
    player.release(1);
    expect(player.wantedSampleRate).toBe(24_000);
  });

  it('is taken out from behind one that plays, which plays on', () => {
    const { player, attach, receive, listen, events } = setUp();
    attach();
    const [first, second, third] = [quiet(2000, 1), quiet(1000, 2), quiet(1000, 3)];
    receive(1, first);
    receive(2, second);
    receive(3, third);
    player.complete(3);
    const heard = listen(5);
    expect(player.hold(2)).toBe(true);
    heard.push(...listen(40));
    expect(sounds(heard)).toEqual([...first, ...third]);
    expect(events.map(({ kind, at }) => [kind, at?.turn, at?.sample])).toEqual([
      ['started', 1, 0],
      ['cleared', 1, 640],
      ['started', 1, 640],
      ['ended', 3, 1000],
    ]);
  });

  it('is not heard twice for more than the reader plays without a report', () => {
    const { player, attach, receive, listen } = setUp(24_000, 'message');
    attach();
    const [first, second] = [quiet(2000, 1), quiet(1000, 2)];
    receive(1, first);
    receive(2, second);
    player.complete(2);
    const heard = listen(REPORT_QUANTA + 2);
    player.hold(2);
    heard.push(...listen(40));
    const reported = REPORT_QUANTA * QUANTUM;
    expect(sounds(heard)).toEqual([
      ...first.subarray(0, reported + 2 * QUANTUM),
      ...first.subarray(reported),
    ]);
  });

  it('cannot be one that is being heard, was heard or was dropped', () => {
    const { player, attach, receive, listen } = setUp();
    attach();
    const [first, second] = [quiet(1000, 1), quiet(1000, 2)];
    receive(1, first);
    receive(2, second);
    player.complete(2);
    const heard = listen(8);
    expect([player.hold(1), player.hold(2)]).toEqual([false, false]);
    player.detach();
    expect(player.hold(2)).toBe(false);
    attach();
    heard.push(...listen(40));
    expect(player.hold(2)).toBe(false);
    expect(sounds(heard)).toEqual([...first, ...second]);
    receive(3, first);
    player.clear();
    expect(player.hold(3)).toBe(false);
  });

  it('leaves a repeat alone until it is released, and stays held where another turn ends the repeat', () => {
    const { player, attach, receive, listen } = setUp();
    attach();
    const [first, second, third] = [quiet(3000, 1), quiet(1000, 2), quiet(1000, 3)];
    receive(1, first);
    player.complete(1);
    listen(40);
    player.repeat(1, 0);
    player.hold(2);
    receive(2, second);
    player.complete(2);
    expect(sounds(listen(4))).toEqual([...first.subarray(0, 512)]);
    expect([player.repeating, player.hold(1)]).toEqual([1, false]);
    receive(3, third);
    player.complete(3);
    expect(player.repeating).toBeNull();
    expect(sounds(listen(20))).toEqual([...third]);
    player.repeat(1, 2900);
    expect(player.waitingSamples).toBe(0);
    player.hold(4);
    receive(4, second);
    player.complete(4);
    player.release(4);
    expect(player.repeating).toBeNull();
    expect(sounds(listen(20))).toEqual([...second]);
  });

  it('is heard although its samples were forgotten', () => {
    const { player, attach, receive, listen } = setUp();
    attach();
    const turn = quiet(1000, 1);
    player.hold(1);
    receive(1, turn);
    player.complete(1);
    player.forget(1);
    player.release(1);
    expect(sounds(listen(20))).toEqual([...turn]);
  });
});

it('keeps no more memory than the samples of complete turns, however short they are', () => {
  const { player, attach, listen, receive } = setUp();
  attach();
  const turns = Array.from({ length: 50 }, (_, turn) => turn);
  for (const turn of turns) {
    receive(turn, speech(1000, turn));
    player.complete(turn);
    listen(20);
  }
  const memory = new Set(
    turns.flatMap((turn) => [...(player.store(turn)?.blocks() ?? [])].map(({ buffer }) => buffer)),
  );
  expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBe(50 * 2000);
});

describe('an audio frame that is wrong', () => {
  it('changes nothing: no turn begins, nothing plays', () => {
    const { player, attach, listen } = setUp();
    attach();
    const result = player.receive(1, { base64: '%' }, 'pcm_s16le', 24_000, 0);
    expect(result).toEqual({ problem: expect.stringContaining('Not base64') });
    expect(player.store(1)).toBeUndefined();
    expect(listen(2)).toEqual(silence(256));
  });

  it('is one of another rate than its turn', () => {
    const { player, receive } = setUp();
    receive(1, speech(100, 1));
    expect(player.receive(1, { bytes: new Uint8Array(2) }, 'pcm_s16le', 8000, 0)).toEqual({
      problem: 'The turn began at 24000 Hz, this audio frame is at 8000 Hz. A turn has one rate.',
    });
    expect(player.store(1)?.length).toBe(100);
  });
});

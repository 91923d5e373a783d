import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import type { Peer } from '../state/shares.ts';
import type { Encoder } from './encoder.ts';
import { Mp3Encoders } from './mp3.ts';

const RATE = 24_000;
const [one, other, third] = [['address 1'], ['address 2'], ['address 3']] as const satisfies Peer[];
const SECOND = Int16Array.from({ length: RATE }, (_, at) => 8000 * Math.sin(at / 5));

let clock: FakeClock;
let encoders: Mp3Encoders;
let opened: Encoder[];
const open = (peer: Peer = one) => {
  const stream = encoders.open(RATE, peer);
  opened.push(stream);
  return stream;
};
/** Notes whether it is done. */
const encoding = (stream: Encoder) => {
  const work = { bytes: 0, isDone: false };
  void stream.encode(SECOND).then(({ length }) => Object.assign(work, { bytes: length, isDone: true }));
  return work;
};
const done = async (...works: { isDone: boolean }[]) => {
  while (works.some(({ isDone }) => !isDone)) await settle();
};

beforeEach(() => {
  clock = createFakeClock();
  encoders = new Mp3Encoders(clock, 3);
  opened = [];
});
afterEach(() => {
  for (const stream of opened) stream.release?.();
});

describe('MP3 streams', () => {
  it('of one peer take all encoders, and each further one that of the stream that was used longest ago', async () => {
    const streams = Array.from({ length: 6 }, () => open());
    const works = streams.map(encoding);
    while (works.filter(({ isDone }) => isDone).length < 3) await settle();
    await settle();
    // The first three have just begun, and each change is heard.
    expect(works.map(({ isDone }) => isDone)).toEqual([true, true, true, false, false, false]);
    await clock.advance(1000);
    await done(...works);
  });

  it('of a peer that holds most give way at once to a peer that holds less', async () => {
    const theirs = Array.from({ length: 3 }, () => open(other));
    await done(...theirs.map(encoding));
    await done(encoding(open(one)));
    await done(encoding(open(third)));
  });

  it('of peers that hold as much wait for one another', async () => {
    await done(...[one, other, third].map((peer) => encoding(open(peer))));
    const fourth = encoding(open(['address 4']));
    for (let round = 0; round < 20; round += 1) await settle();
    expect(fourth.isDone).toBe(false);
    await clock.advance(1000);
    await done(fourth);
  });

  it('go on with another encoder, and lose no byte of the first', async () => {
    const whole = open();
    const expected = (await whole.encode(SECOND)).length + ((await whole.tail?.())?.length ?? 0);
    const paused = open();
    const before = await paused.encode(SECOND);
    await done(encoding(open(other)), encoding(open(third)));
    await clock.advance(1000);
    await done(...['4', '5', '6'].map((address) => encoding(open([address]))));
    await clock.advance(1000);
    const after = await paused.encode(new Int16Array());
    expect(before.length + after.length).toBe(expected);
  });

  it('that are released while they wait end, and need no encoder', async () => {
    await done(...[one, other, third].map((peer) => encoding(open(peer))));
    const waiting = open(['address 4']);
    const work = encoding(waiting);
    await settle();
    waiting.release?.();
    await done(work);
    expect(work.bytes).toBe(0);
    for (const stream of opened) stream.release?.();
    await done(encoding(open()), encoding(open()), encoding(open()));
  });

  it('that are released while they are encoded stop, and free their encoder', async () => {
    const streams = Array.from({ length: 3 }, () => open());
    const works = streams.map(encoding);
    await settle();
    for (const stream of streams) stream.release?.();
    await done(...works);
    await done(...Array.from({ length: 3 }, () => encoding(open())));
  });

  it('fail with the reason where their thread ends, and later ones have a new thread', async () => {
    vi.resetModules();
    const started = once(process, 'worker');
    const fresh = new (await import('./mp3.ts')).Mp3Encoders(clock, 3);
    const [begun, ending, busy] = [fresh.open(RATE, one), fresh.open(RATE, other), fresh.open(RATE, third)];
    const [thread] = (await started) as [Worker];
    for (const stream of [begun, ending]) await stream.encode(SECOND);
    const reason = 'The MP3 encoder stopped: its thread ended';
    const failing = expect(busy.encode(SECOND)).rejects.toThrow(reason);
    void thread.terminate();
    await failing;
    await expect(begun.encode(SECOND)).rejects.toThrow(reason);
    await expect(ending.tail?.()).rejects.toThrow(reason);
    for (const stream of [begun, ending, busy]) stream.release?.();
    expect(await fresh.open(RATE, one).encode(SECOND)).not.toHaveLength(0);
  });
});

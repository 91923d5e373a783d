import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartError } from '../../environment.ts';
import { ACCOUNT_DICTIONARIES } from '../../kugel/account/dictionaries.ts';
import type { Log } from '../../log.ts';
import { type SharedState, StateUnavailable, type WantedPlace } from '../state.ts';
import { hasRedis, startRedis, type TestRedis } from './redis-server.test-helper.ts';
import { openRedisState } from './redis-state.ts';

/** Long enough for a busy machine. */
const WITHIN = { timeout: 15_000, interval: 50 };
const SECRET = 'a-key-of-somebody';

let redis: TestRedis;
let states: SharedState[] = [];
let said: string[] = [];

const log: Log = {
  info: (_, line) => void said.push(line),
  warn: (_, line) => void said.push(line),
  error: (_, line) => void said.push(line),
  child: () => log,
};

/** A process of the fleet. */
async function open(): Promise<SharedState> {
  const state = await openRedisState({ url: redis.url, log });
  states.push(state);
  return state;
}

const place = (limit: number, name = SECRET, kind = 'sockets'): WantedPlace => ({ kind, name, limit });
const isTaken = async (state: SharedState, wanted: WantedPlace): Promise<boolean> =>
  'leave' in (await state.places.take([wanted]));
const fields = (name: string) => ({ name, description: null, language: null, is_active: true });

describe.skipIf(!hasRedis())('state in Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    said = [];
    const client = new Redis(redis.url.href);
    await client.flushall();
    await client.quit();
  });
  afterEach(async () => {
    for (const state of states) await state.close();
    states = [];
  });

  it('gives all servers together exactly as many places as the limit', async () => {
    const [one, two] = [await open(), await open()];
    const taken = await Promise.all(
      Array.from({ length: 60 }, (_, at) => (at % 2 ? one : two).places.take([place(25)])),
    );
    const held = taken.filter((each) => 'leave' in each);
    expect(held).toHaveLength(25);
    expect(taken.find((each) => 'full' in each)).toEqual({ full: place(25), taken: 25 });
    for (const each of held.slice(0, 3)) {
      each.leave();
      each.leave();
    }
    for (let again = 0; again < 3; again += 1)
      await vi.waitFor(async () => expect(await isTaken(two, place(25))).toBe(true), WITHIN);
    expect(await isTaken(two, place(25))).toBe(false);
  });

  it('takes all wanted places or none', async () => {
    const state = await open();
    const full = place(1, 'full');
    expect(await isTaken(state, full)).toBe(true);
    expect(await state.places.take([place(1, 'free'), full])).toEqual({ full, taken: 1 });
    expect(await isTaken(state, place(1, 'free'))).toBe(true);
    expect(await isTaken(state, place(1, 'free', 'requests'))).toBe(true);
  });

  it('6.3.18 admits no more than the limit in any window, over all servers', async () => {
    const limit = { limit: 5, windowSeconds: 1 };
    const windows = [await open(), await open()].map((state) => state.slidingWindow('test', limit));
    const admittedMs: number[] = [];
    const ask = async (at: number) => {
      const askedMs = performance.now();
      if (await windows[at % 2]?.(SECRET)) admittedMs.push(askedMs);
    };
    const startedMs = performance.now();
    while (performance.now() - startedMs < 2500)
      await Promise.all(Array.from({ length: 8 }, (_, at) => ask(at)));
    admittedMs.sort((a, b) => a - b);
    expect(admittedMs.length).toBeGreaterThanOrEqual(10);
    // Asked times precede the times in Redis by a moment.
    const toleranceMs = 100;
    for (const [at, time] of admittedMs.entries())
      expect((admittedMs[at + 5] ?? Number.POSITIVE_INFINITY) - time).toBeGreaterThan(1000 - toleranceMs);
  });

  it('keeps every change of a document that several servers change at once', async () => {
    const documents = [await open(), await open()].map((state) => state.document(ACCOUNT_DICTIONARIES));
    await Promise.all(
      documents.flatMap((document, at) =>
        Array.from({ length: 25 }, (_, number) =>
          document.change((all) => all.create(fields(`${at}-${number}`))),
        ),
      ),
    );
    for (const document of documents)
      await vi.waitFor(() => expect(document.current.all).toHaveLength(53), WITHIN);
    expect(new Set(documents[0]?.current.all.map(({ id }) => id)).size).toBe(53);
    expect(documents[0]?.current.all).toEqual(documents[1]?.current.all);
  });

  it('changes nothing where the change throws, and shows it to others at once when they ask', async () => {
    const [one, two] = [await open(), await open()];
    const mine = one.document(ACCOUNT_DICTIONARIES);
    const theirs = two.document(ACCOUNT_DICTIONARIES);
    const failing = mine.change((all) => {
      all.create(fields('half'));
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(mine.current.named('half')).toBeUndefined();
    await mine.change((all) => all.create(fields('whole')));
    await two.refresh();
    expect(theirs.current.named('whole')).toEqual(mine.current.named('whole'));
    const next = (await open()).document(ACCOUNT_DICTIONARIES);
    expect(next.current.all).toEqual(mine.current.all);
  });

  it('adds up what all servers add', async () => {
    const [one, two] = [await open(), await open()];
    const untilMs = Date.now() + 60_000;
    for (let count = 0; count < 50; count += 1) {
      one.sums.add(SECRET, 3, untilMs);
      two.sums.add(SECRET, 4, untilMs);
    }
    await vi.waitFor(async () => expect(await two.sums.of(SECRET)).toBe(350), WITHIN);
    expect(await one.sums.of('another')).toBe(0);
  });

  it('stores no name in clear, and nothing outside of its prefix', async () => {
    const state = await open();
    await state.places.take([place(2)]);
    await state.slidingWindow('test', { limit: 2, windowSeconds: 60 })(SECRET);
    state.sums.add(SECRET, 1, Date.now() + 60_000);
    state.notes.keep(SECRET, 'a note');
    await vi.waitFor(async () => expect(await state.notes.find(SECRET)).toBe('a note'), WITHIN);
    const client = new Redis(redis.url.href);
    const keys = await client.keys('*');
    const contents = await Promise.all(keys.map((key) => client.dump(key)));
    // Without a limit on its life a store would grow for ever.
    const lives = await Promise.all(keys.map((key) => client.pttl(key)));
    await client.quit();
    expect(keys).toHaveLength(4);
    for (const key of keys) expect(key).toMatch(/^voicewire:1:/);
    for (const text of [...keys, ...contents]) expect(text).not.toContain(SECRET);
    for (const life of lives) expect(life).toBeGreaterThan(0);
  });

  it('goes on with what it knows while Redis is away, says so once, and recovers alone', async () => {
    const state = await open();
    const document = state.document(ACCOUNT_DICTIONARIES);
    const untilMs = Date.now() + 60_000;
    const kept = await state.places.take([place(2)]);
    state.sums.add(SECRET, 5, untilMs);
    await vi.waitFor(async () => expect(await state.sums.of(SECRET)).toBe(5), WITHIN);
    await redis.kill();
    await vi.waitFor(() => expect(state.problem()).toBe('Redis cannot be reached'), WITHIN);
    await expect(state.places.take([place(2)])).rejects.toThrow(StateUnavailable);
    await expect(state.slidingWindow('test', { limit: 2, windowSeconds: 60 })('a')).rejects.toThrow(
      StateUnavailable,
    );
    await expect(document.change((all) => all.create(fields('lost')))).rejects.toThrow(StateUnavailable);
    await state.refresh();
    expect(document.current.all).toHaveLength(3);
    state.sums.add(SECRET, 2, untilMs);
    expect(await state.sums.of(SECRET)).toBe(7);
    expect(said).toEqual([expect.stringMatching(/^Redis cannot be reached/)]);

    await redis.restart();
    await vi.waitFor(() => expect(state.problem()).toBeNull(), WITHIN);
    expect(said).toEqual([expect.any(String), 'Redis can be reached again']);
    // Redis has lost everything. The place that is held counts again, and what waited was added.
    expect(await isTaken(state, place(2))).toBe(true);
    expect(await isTaken(state, place(2))).toBe(false);
    if ('leave' in kept) kept.leave();
    expect(await isTaken(state, place(2))).toBe(true);
    expect(await state.sums.of(SECRET)).toBe(2);
    await document.change((all) => all.create(fields('kept')));
    expect(document.current.named('kept')).toBeDefined();
  }, 40_000);

  it('refuses within about a second where Redis hangs', async () => {
    const state = await open();
    redis.freeze();
    try {
      const askedMs = performance.now();
      await expect(state.places.take([place(2)])).rejects.toThrow(StateUnavailable);
      expect(performance.now() - askedMs).toBeLessThan(3000);
      expect(state.problem()).not.toBeNull();
    } finally {
      redis.thaw();
    }
    await vi.waitFor(() => expect(state.problem()).toBeNull(), WITHIN);
    expect(said).toHaveLength(2);
  });

  it('ends the start in one line where Redis is not there or refuses', async () => {
    const start = (address: string) => openRedisState({ url: new URL(address), log });
    await expect(start('redis://:password@127.0.0.1:1/')).rejects.toThrow(
      /^VOICEWIRE_REDIS: redis:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. [^\n]+$/,
    );
    const locked = await startRedis('--requirepass', 'right');
    const address = (password: string) => `redis://:${password}@${locked.url.host}`;
    try {
      const refused = start(address('wrong'));
      await expect(refused).rejects.toThrow(StartError);
      await expect(refused).rejects.toThrow(/refuses this server \(WRONGPASS\)(?!.*wrong)/);
      await expect(start(`redis://${locked.url.host}`)).rejects.toThrow(/refuses this server \(NOAUTH\)/);
      states.push(await start(address('right')));
    } finally {
      await states.pop()?.close();
      await locked.stop();
    }
  });

  it('ends the start where stored content is not valid, and repeats nothing of it', async () => {
    const client = new Redis(redis.url.href);
    await client.hset('voicewire:1:documents', 'kugel_dictionaries', `{"secret":"${SECRET}"}`);
    await client.quit();
    const state = await open();
    expect(() => state.document(ACCOUNT_DICTIONARIES)).toThrow(StartError);
    expect(() => state.document(ACCOUNT_DICTIONARIES)).toThrow(/kugel_dictionaries.*(?!secret)/);
  });
});

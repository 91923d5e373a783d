import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { StartError } from '../../environment.ts';
import { ACCOUNT_DICTIONARIES } from '../../kugel/account/dictionaries.ts';
import type { Log } from '../../log.ts';
import { type SharedState, StateUnavailable, type WantedPlace } from '../state.ts';
import { hasRedis, startRedis, type TestRedis } from './redis-server.test-helper.ts';
import { openRedisState } from './redis-state.ts';

/** Long enough for a busy machine. */
const WITHIN = { timeout: 60_000, interval: 20 };
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

const place = (limit: number): WantedPlace => ({ kind: 'sockets', name: SECRET, limit });
const isTaken = async (state: SharedState, wanted: WantedPlace): Promise<boolean> =>
  'leave' in (await state.places.take([wanted]));
const fields = (name: string) => ({ name, description: null, language: null, is_active: true });

describe.skipIf(!hasRedis())('state in Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  afterEach(async () => {
    said = [];
    await redis.flush();
    for (const state of states) await state.close();
    states = [];
  });

  it('admits no more than the limit in any window, over all servers', async () => {
    const limit = { limit: 5, windowSeconds: 1 };
    const windows = [await open(), await open()].map((state) => state.slidingWindow('test', limit));
    const asked: number[] = [];
    const answered: number[] = [];
    while (answered.length < 10) {
      const askedMs = performance.now();
      const admitted = await Promise.all(windows.map((take) => take(SECRET)));
      for (const _ of admitted.filter(Boolean)) {
        asked.push(askedMs);
        answered.push(performance.now());
      }
    }
    // Redis counts at a time between the question and its answer, in whole milliseconds of another clock.
    for (const [at, fromMs] of asked.slice(0, -5).entries())
      expect((answered[at + 5] ?? 0) - fromMs).toBeGreaterThan(990);
  });

  it('stores no name in clear, and nothing outside of its prefix', async () => {
    const state = await open();
    await state.places.take([place(2)]);
    await state.slidingWindow('test', { limit: 2, windowSeconds: 60 })(SECRET);
    state.sums.add(SECRET, 1, Date.now() + 60_000);
    const notes = state.notes('test');
    await notes.keep(SECRET, 'a note', [SECRET]);
    expect(await notes.find(SECRET)).toBe('a note');
    const client = new Redis(redis.url.href);
    const keys = await client.keys('*');
    const contents = await Promise.all(keys.map((key) => client.dump(key)));
    // Without a limit on its life a store would grow for ever.
    const lives = await Promise.all(keys.map((key) => client.pttl(key)));
    await client.quit();
    expect(keys).toHaveLength(8);
    for (const key of keys) expect(key).toMatch(/^voicewire:1:/);
    for (const text of [...keys, ...contents]) expect(text).not.toContain(SECRET);
    for (const life of lives) expect(life).toBeGreaterThan(0);
    const leaseMs = lives[keys.findIndex((key) => key.includes(':places:'))];
    expect(leaseMs).toBeGreaterThan(5000);
    expect(leaseMs).toBeLessThanOrEqual(10_000);
  });

  it('counts no note after its time', async () => {
    const notes = (await open()).notes('test');
    await notes.keep('old', 'a note', ['one']);
    const client = new Redis(redis.url.href);
    const all = 'voicewire:1:notes:test';
    const [member = ''] = await client.zrange(all, '0', '0');
    await client.zadd(all, 'XX', 0, member);
    await notes.keep('new', 'a note', ['two']);
    const counts = [all, `${all}:sums`].map((set) => client.zcard(set));
    expect(await Promise.all(counts)).toEqual([1, 1]);
    expect(await client.keys(`${all}:notes:*`)).toHaveLength(1);
    await client.quit();
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
    expect(document.current.all.at(-1)).toMatchObject(fields('kept'));
  });

  it('refuses where Redis hangs, and recovers alone', async () => {
    const state = await open();
    redis.freeze();
    try {
      await expect(state.places.take([place(2)])).rejects.toThrow(StateUnavailable);
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

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { ACCOUNT_DICTIONARIES } from '../kugel/account/dictionaries.ts';
import { accountVoices } from '../kugel/account/voice-store.ts';
import { createLog } from '../log.ts';
import { savedVoices } from '../murmr/saved-voices.ts';
import { Refused } from '../rest.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from './memory-state.ts';
import { hasRedis, startRedis, type TestRedis } from './redis/redis-server.test-helper.ts';
import { openRedisState } from './redis/redis-state.ts';
import type { Peer } from './shares.ts';
import type { SharedState, WantedPlace } from './state.ts';

/** Long enough for a busy machine. */
const WITHIN = { timeout: 60_000, interval: 20 };
const KEY = 'a-key-of-somebody';

let redis: TestRedis | undefined;
let states: SharedState[] = [];

/** The states of two servers with one Redis, or that of the only server in memory. */
const STORES = {
  memory: async () => [openMemoryState()],
  Redis: async (url = new URL('redis://127.0.0.1')) =>
    Promise.all([1, 2].map(() => openRedisState({ url, log: createLog('silent') }))),
};

const place = (limit: number, name: string, kind = 'sockets'): WantedPlace => ({ kind, name, limit });
const isTaken = async (state: SharedState, wanted: WantedPlace): Promise<boolean> =>
  'leave' in (await state.places.take([wanted]));
const fields = (name: string) => ({ name, description: null, language: null, is_active: true });

interface List {
  add(names: readonly string[], peer: Peer): Promise<unknown>;
  names(): string[];
}

/** Lists that clients fill, with the limits of one and of all. */
const LISTS: [name: string, open: (state: SharedState) => List, limits: [ofOne: number, ofAll: number]][] = [
  [
    'saved voices',
    (state) => {
      const list = state.document(savedVoices(createFakeClock(), LOCAL_CATALOGUE));
      const voice = {
        description: '',
        sample_text: '',
        cloned: { description: '', language: 'en' },
      } as const;
      return {
        add: (names, peer) => list.change((all) => names.map((name) => all.add({ ...voice, name }, peer))),
        names: () => list.current.all.map(({ name }) => name),
      };
    },
    [100, 300],
  ],
  [
    'created voices',
    (state) => {
      const list = state.document(accountVoices(LOCAL_CATALOGUE));
      return {
        add: (names, peer) => list.change((all) => names.map((name) => all.create({ name }, peer))),
        names: () => list.current.content.voices.map(({ name }) => name),
      };
    },
    [100, 300],
  ],
  [
    'dictionaries',
    (state) => {
      const list = state.document(ACCOUNT_DICTIONARIES);
      return {
        add: (names, peer) => list.change((all) => names.map((name) => all.create(fields(name), peer))),
        names: () => list.current.all.map(({ name }) => name),
      };
    },
    [200, 400],
  ],
  [
    'entries',
    (state) => {
      const list = state.document(ACCOUNT_DICTIONARIES);
      return {
        add: (names, peer) =>
          list.change((all) => {
            const name = peer.join();
            const { id } = all.all.find((each) => each.name === name) ?? all.create(fields(name), peer);
            const added = names.map((word) => ({ word, replacement: 'r', ipa: null, case_sensitive: false }));
            return all.replaceEntries(`${id}`, [...all.find(`${id}`).entries, ...added], peer);
          }),
        names: () => list.current.all.flatMap(({ entries }) => entries.map(({ word }) => word)),
      };
    },
    [10_000, 10_000],
  ],
];

beforeAll(async () => {
  if (hasRedis()) redis = await startRedis();
});
afterAll(() => redis?.stop());
afterEach(async () => {
  for (const state of states) await state.close();
  await redis?.flush();
});

describe.each(hasRedis() ? (['memory', 'Redis'] as const) : (['memory'] as const))('state in %s', (store) => {
  /** Asks the servers in turn for something, so many times at once. */
  let inTurn: <T>(times: number, ask: (state: SharedState) => Promise<T>) => Promise<T[]>;
  let one: SharedState;
  let two: SharedState;

  beforeEach(async () => {
    states = await STORES[store](redis?.url);
    [one = openMemoryState(), two = one] = states;
    inTurn = (times, ask) => Promise.all(Array.from({ length: times }, (_, at) => ask(at % 2 ? one : two)));
  });

  it('gives all servers together exactly as many places as the limit', async () => {
    const wanted = place(25, KEY);
    const taken = await inTurn(60, ({ places }) => places.take([wanted]));
    const held = taken.filter((each) => 'leave' in each);
    // Each knows how many were there before.
    const before = held.map((each) => each.taken).sort((a, b) => a - b);
    expect(before).toEqual(Array.from({ length: 25 }, (_, at) => at));
    expect(taken.find((each) => 'full' in each)).toEqual({ full: wanted, taken: 25 });
    for (const each of held.slice(0, 3)) {
      each.leave();
      each.leave();
    }
    for (let again = 0; again < 3; again += 1)
      await vi.waitFor(async () => expect(await isTaken(two, wanted)).toBe(true), WITHIN);
    expect(await isTaken(two, wanted)).toBe(false);
  });

  it('takes all wanted places or none, and keeps names and kinds apart', async () => {
    const full = place(1, 'full');
    expect(await isTaken(one, full)).toBe(true);
    expect(await one.places.take([place(1, 'free'), full])).toEqual({ full, taken: 1 });
    expect(await isTaken(one, place(1, 'free'))).toBe(true);
    expect(await isTaken(one, place(1, 'free', 'requests'))).toBe(true);
  });

  it('admits as many of each key as the limit within a window', async () => {
    const limit = { limit: 5, windowSeconds: 3600 };
    const windows = new Map(states.map((state) => [state, state.slidingWindow('test', limit)]));
    for (const key of [KEY, 'another']) {
      const admitted = await inTurn(8, async (state) => windows.get(state)?.(key));
      expect(admitted.filter(Boolean)).toHaveLength(5);
    }
  });

  it('keeps every change of a document that several servers change at once, but none that throws', async () => {
    const documents = new Map(states.map((state) => [state, state.document(ACCOUNT_DICTIONARIES)]));
    const all = (state: SharedState) => documents.get(state)?.current.all ?? [];
    const failing = documents.get(one)?.change((dictionaries) => {
      dictionaries.create(fields('half'));
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    const before = all(one).length;
    let count = 0;
    await inTurn(12, async (state) =>
      documents.get(state)?.change((dictionaries) => {
        count += 1;
        return dictionaries.create(fields(`${count}`));
      }),
    );
    for (const state of states) await state.refresh();
    expect(new Set(all(one).map(({ id }) => id)).size).toBe(before + 12);
    expect(all(one).map(({ name }) => name)).not.toContain('half');
    expect(all(two)).toEqual(all(one));
  });

  it.each(LISTS)('%s of a client leave rows and room to others', async (_, openList, [ofOne, ofAll]) => {
    const list = openList(one);
    const same = two === one ? list : openList(two);
    const add = (client: string, count: number, from = 0) =>
      list.add(
        Array.from({ length: count }, (__, at) => `${client} ${from + at}`),
        [`address ${client}`],
      );
    const countOf = (client: string) => list.names().filter((name) => name.startsWith(`${client} `)).length;
    await add('good', 5);
    for (const client of ['b', 'c', 'd', 'e', 'f']) {
      for (let part = 0; part < 12; part += 1)
        await add(client, ofOne / 10, (part * ofOne) / 10).catch((error) =>
          expect(error).toBeInstanceOf(Refused),
        );
      expect(countOf(client)).toBeGreaterThan(0);
      expect(countOf(client)).toBeLessThanOrEqual(ofOne);
    }
    expect(list.names().length).toBeGreaterThan(0.9 * ofAll);
    await add('good', 1, 5);
    await two.refresh();
    expect(same.names()).toEqual(list.names());
    expect(list.names().length).toBeLessThanOrEqual(ofAll);
    expect(countOf('good')).toBe(6);
  });

  it('adds up what all servers add, and keeps what they note', async () => {
    const untilMs = Date.now() + 3_600_000;
    await inTurn(10, async ({ sums }) => sums.add(KEY, 3, untilMs));
    await vi.waitFor(async () => expect(await two.sums.of(KEY)).toBe(30), WITHIN);
    expect(await one.sums.of('another')).toBe(0);
    const [notes, same] = [one.notes('test'), two.notes('test')];
    await notes.keep(KEY, 'a note', ['peer']);
    expect(await same.find(KEY)).toBe('a note');
    expect(await same.find('another')).toBeUndefined();
    expect(await two.notes('another kind').find(KEY)).toBeUndefined();
    expect(await Promise.all([same.take(KEY), notes.take(KEY)])).toEqual(
      expect.arrayContaining(['a note', undefined]),
    );
  });

  it('forgets the oldest notes of a peer that keeps too many, and none of another peer', async () => {
    const notes = one.notes('test');
    await notes.keep('good', 'mine', ['address 1', 'key a']);
    const numbers = Array.from({ length: 2100 }, (_, at) => at);
    await Promise.all(numbers.map((at) => notes.keep(`${at}`, 'theirs', ['address 2', `key ${at % 2}`])));
    expect(await notes.find('2099')).toBe('theirs');
    expect(await notes.find('good')).toBe('mine');
    expect(await notes.find('0')).toBeUndefined();
  });

  it('forgets no note of a client that holds less, also where both have one address', async () => {
    const keep = (count: number, name: string, peer: Peer) =>
      inTurn(count, async (state) => state.notes('test').keep(`${name} ${randomUUID()}`, 'a note', peer));
    const notes = one.notes('test');
    const names = Array.from({ length: 10 }, (_, at) => `mine ${at}`);
    for (const name of names) await notes.keep(name, 'mine', ['address balancer', 'key a']);
    await keep(1200, 'shared', ['address balancer']);
    await keep(1200, 'other', ['address balancer', 'key b']);
    await keep(1200, 'distant', ['address 2', 'key c']);
    expect(await Promise.all(names.map((name) => notes.find(name)))).toEqual(names.map(() => 'mine'));
  });

  it('counts no note that was taken, or replaced', async () => {
    const notes = one.notes('test');
    await notes.keep('first', 'mine', ['address 1']);
    for (let at = 0; at < 600; at += 1) {
      await notes.keep('again', 'theirs', [`address ${at}`]);
      await notes.keep('once', 'theirs', ['address 1']);
      await notes.take('once');
    }
    await notes.keep('last', 'theirs', ['address 1']);
    expect(await notes.find('first')).toBe('mine');
  });
});

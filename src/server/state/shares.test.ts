import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairMemory, FairStore, type Peer, peerOf as peerOfAccount, Shares } from './shares.ts';

const peerOf = (address: string, key: string | null): Peer =>
  peerOfAccount(address, { name: key ?? 'local', isShared: key === null });

const peers: readonly Peer[] = ['1', '2', '3'].flatMap((address) => [
  peerOf(address, null),
  peerOf(address, 'a'),
  peerOf(address, 'b'),
]);
const aPeer = fc.constantFrom(...peers);

describe('shares', () => {
  it('are those of the items that each name holds', () => {
    const step = fc.record({ item: fc.nat(9), peer: aPeer, weight: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(fc.array(fc.oneof(step, fc.nat(9))), (steps) => {
        const shares = new Shares<number>();
        const held = new Map<number, { peer: Peer; weight: number }>();
        for (const each of steps) {
          if (typeof each === 'number') {
            shares.remove(each);
            held.delete(each);
          } else {
            shares.add(each.item, each.peer, each.weight);
            held.delete(each.item);
            held.set(each.item, each);
          }
          const sumOf = (name: string) =>
            [...held.values()].reduce((sum, { peer, weight }) => sum + (peer.includes(name) ? weight : 0), 0);
          for (const peer of peers) expect(shares.of(peer)).toBe(Math.max(...peer.map(sumOf)));
          expect(shares.size).toBe(held.size);
          const largest = Math.max(0, ...[...held.values()].map(({ peer }) => shares.of(peer)));
          const first = shares.first();
          if (first !== undefined) expect(shares.of(held.get(first)?.peer ?? [])).toBe(largest);
        }
      }),
    );
  });

  it('of one key are larger at the address that holds more', () => {
    const shares = new Shares<string>();
    shares.add('good', peerOf('1', 'a'));
    for (const item of ['one', 'two']) shares.add(item, peerOf('2', 'a'));
    expect(shares.first()).toBe('one');
  });
});

describe('of the peers of one address, the one with more gives way', () => {
  it.each([
    ['without a key of its own', null],
    ['with a key', 'flood'],
  ])('also one %s', (_, key) => {
    const store = new FairStore<string>(1000);
    for (let at = 0; at < 10; at += 1) store.set(`mine ${at}`, '', peerOf('1', 'mine'));
    for (let at = 0; at < 2000; at += 1) store.set(`${at}`, '', peerOf('1', key));
    for (let at = 0; at < 10; at += 1) expect(store.get(`mine ${at}`)).toBe('');
  });
});

describe('the first of thousands of items', () => {
  it('is found among those of its peer without a look at the others', () => {
    const shares = new Shares<number>();
    for (let item = 0; item < 10_000; item += 1) shares.add(item, peerOf('1', null), item);
    for (let item = 0; item < 100; item += 1) shares.add(-1 - item, peerOf('2', null), 1);
    let asked = 0;
    const first = shares.first(() => {
      asked += 1;
      return true;
    });
    expect(asked).toBe(1);
    // The oldest of those whose weight is at least half of the largest.
    expect(first).toBe(8192);
  });

  it('is the oldest one of several peers with equal shares', () => {
    const shares = new Shares<string>();
    for (const item of ['a1', 'b1', 'a2', 'b2']) shares.add(item, peerOf(item.charAt(0), null));
    shares.add('a1', peerOf('a', null));
    expect(shares.first()).toBe('b1');
  });
});

describe('a fair store', () => {
  it('keeps what a peer holds, whatever all others add, as long as those hold more', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 200 }), fc.integer({ min: 8, max: 20 }), (others, max) => {
        const store = new FairStore<string>(max);
        store.set('first', 'mine', peerOf('good', null));
        for (const [at, other] of others.entries()) store.set(`${at}`, '', peerOf(`hostile ${other}`, null));
        expect(store.get('first')).toBe('mine');
      }),
    );
  });

  it('leaves all of it to a peer that is alone, the oldest evicted first', () => {
    const store = new FairStore<number>(3);
    for (let at = 0; at < 5; at += 1) store.set(`${at}`, at, peerOf('1', null));
    expect([0, 1, 2, 3, 4].map((at) => store.get(`${at}`))).toEqual([undefined, undefined, 2, 3, 4]);
  });
});

describe('fair memory', () => {
  it('never exceeds its limit, and takes nothing from a peer that holds less than its part', () => {
    const part = fc.record({ peer: fc.nat(3), bytes: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 100 }), (parts) => {
        const memory = new FairMemory(100);
        const held = new Map<number, number>();
        const good = memory.hold(peerOf('good', null), () => held.delete(-1));
        held.set(-1, 20);
        good.resize(20);
        for (const [at, { peer, bytes }] of parts.entries()) {
          const mine = memory.hold(peerOf(`hostile ${peer}`, null), () => held.delete(at));
          held.set(at, bytes);
          mine.resize(bytes);
          expect([...held.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100);
        }
        expect(held.get(-1)).toBe(20);
      }),
    );
  });

  it('is free again once it is released', () => {
    const memory = new FairMemory(10);
    const lost: string[] = [];
    const one = memory.hold(['1'], () => lost.push('one'));
    one.resize(8);
    one.release();
    one.resize(8);
    memory.hold(['2'], () => lost.push('two')).resize(8);
    expect(lost).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Transport } from './ring.ts';
import { ourPlayer } from './testing/ours.ts';
import { runTrace, TRACE_RATE, TRACES } from './testing/traces.ts';

const SEEDS = Array.from({ length: 3 }, (_, seed) => seed);
const flawless = { gaps: 0, gapMs: 0, lost: 0, repeated: 0, stale: 0 };

describe.each<Transport>(['shared', 'message'])('arrivals as they happen, over %s', (transport) => {
  const play = (name: keyof typeof TRACES, seed: number) =>
    runTrace(TRACES[name](seed), ourPlayer(TRACE_RATE, transport));

  /** A turn behind one of the same kind. */
  const playLater = (name: keyof typeof TRACES, seed: number) => {
    const player = ourPlayer(TRACE_RATE, transport);
    runTrace(TRACES[name](seed + 1000), player);
    return runTrace(TRACES[name](seed), player);
  };

  it.each(SEEDS)('a: 200 ms audio frames at about real time play without a gap, soon, seed %i', (seed) => {
    const first = play('a', seed);
    expect(first).toMatchObject(flawless);
    expect(first.startMs).toBeLessThanOrEqual(307);
    const later = playLater('a', seed);
    expect(later).toMatchObject(flawless);
    expect(later.startMs).toBeLessThanOrEqual(180);
  });

  it.each(SEEDS)('b: 20 ms audio frames with jitter play without a gap, soon, seed %i', (seed) => {
    const first = play('b', seed);
    expect(first).toMatchObject(flawless);
    expect(first.startMs).toBeLessThanOrEqual(110);
    const later = playLater('b', seed);
    expect(later).toMatchObject(flawless);
    expect(later.startMs).toBeLessThanOrEqual(55);
  });

  it('c: a stall is one gap and costs no sample', () => {
    expect(play('c', 1)).toMatchObject({ gaps: 1, lost: 0, repeated: 0, stale: 0 });
  });

  it.each(['d', 'e', 'f'] as const)('%s: plays without a gap, to the last sample', (name) => {
    const first = play(name, 1);
    expect(first).toMatchObject(flawless);
    expect(first.startMs).toBeLessThanOrEqual(110);
    const later = playLater(name, 1);
    expect(later).toMatchObject(flawless);
    expect(later.startMs).toBeLessThanOrEqual(5);
  });

  it('g: after a clear nothing stale is heard and all that is new, at once', () => {
    for (const result of [play('g', 1), playLater('g', 1)]) {
      expect(result).toMatchObject(flawless);
      expect(result.restartMs).toBeLessThanOrEqual(128 / 24 + 64 / 24);
    }
  });

  it('is careful again after a gap', () => {
    const player = ourPlayer(TRACE_RATE, transport);
    const starts = (['d', 'd', 'c', 'd'] as const).map((name) => runTrace(TRACES[name](1), player).startMs);
    expect(starts[1]).toBeLessThanOrEqual(5);
    expect(starts[3]).toBeGreaterThanOrEqual(100);
  });
});

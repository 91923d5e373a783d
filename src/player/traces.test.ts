import { describe, expect, it } from 'vitest';
import type { Transport } from './sink.ts';
import { ourPlayer } from './testing/ours.ts';
import { runTrace, TRACE_RATE, TRACES } from './testing/traces.ts';

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const flawless = { gaps: 0, gapMs: 0, lost: 0, repeated: 0, stale: 0 };

describe.each<Transport>(['shared', 'message'])('arrivals as they happen, over %s', (transport) => {
  const play = (name: keyof typeof TRACES, seed: number) =>
    runTrace(TRACES[name](seed), ourPlayer(TRACE_RATE, transport));

  it.each(SEEDS)('a: 200 ms audio frames at about real time play without a gap, soon, seed %i', (seed) => {
    const result = play('a', seed);
    expect(result).toMatchObject(flawless);
    expect(result.startMs).toBeLessThanOrEqual(307);
  });

  it.each(SEEDS)('b: 20 ms audio frames with jitter play without a gap, soon, seed %i', (seed) => {
    const result = play('b', seed);
    expect(result).toMatchObject(flawless);
    expect(result.startMs).toBeLessThanOrEqual(110);
  });

  it('c: a stall is one gap and costs no sample', () => {
    expect(play('c', 1)).toMatchObject({ gaps: 1, lost: 0, repeated: 0, stale: 0 });
  });

  it.each(['d', 'e', 'f'] as const)('%s: plays without a gap, to the last sample', (name) => {
    const result = play(name, 1);
    expect(result).toMatchObject(flawless);
    expect(result.startMs).toBeLessThanOrEqual(110);
  });

  it('g: after a clear nothing stale is heard and all that is new, at once', () => {
    const result = play('g', 1);
    expect(result).toMatchObject(flawless);
    expect(result.restartMs).toBeLessThanOrEqual(128 / 24 + 64 / 24);
  });
});

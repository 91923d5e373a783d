import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PcmStore } from '#player/pcm-store.ts';
import { appendSamples } from '#player/testing/append-samples.ts';
import type { EnvelopePart } from './playback/envelopes.ts';
import { Envelopes } from './playback/envelopes.ts';
import { audioFrame, ended, samplesOf, World } from './testing/world.ts';

/** The peaks of a turn after all parts, which may repeat a peak. */
function peaksOf(parts: readonly EnvelopePart[], turn: number): number[] {
  const peaks: number[] = [];
  for (const part of parts) {
    if (part.turn !== turn) continue;
    for (const [at, peak] of part.peaks.entries()) peaks[part.from + at] = peak;
  }
  return peaks;
}

const naivePeaks = (samples: readonly number[], rate: number): number[] => {
  const count = Math.ceil((samples.length * 100) / rate);
  return Array.from({ length: count }, (_, place) => {
    const part = samples.slice(Math.floor((place * rate) / 100), Math.floor(((place + 1) * rate) / 100));
    return Math.min(255, Math.ceil((Math.max(...part.map(Math.abs)) / 32_768) * 255));
  });
};

it('the envelope has the highest magnitude of every 10 ms of each turn, for any arrivals', () => {
  const sample = fc.integer({ min: -32_768, max: 32_767 });
  const frames = fc.array(fc.tuple(fc.array(sample, { maxLength: 700 }), fc.nat({ max: 30 })), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.constantFrom(8000, 16_000, 22_050, 24_000), frames, frames, (rate, ...turns) => {
      const world = new World();
      world.connect();
      for (const turn of turns) {
        world.do({ type: 'speak', text: 'Hi.' });
        for (const [samples, thenMs] of turn) {
          world.socket.say(audioFrame(Int16Array.from(samples), 0, 0, rate));
          world.advance(thenMs);
        }
        world.socket.say(ended());
      }
      world.advance(20);
      for (const [at, turn] of turns.entries()) {
        const samples = turn.flatMap(([part]) => part);
        expect(peaksOf(world.envelopes, at + 1)).toEqual(naivePeaks(samples, rate));
      }
    }),
    { numRuns: 40 },
  );
});

it('the envelope of a turn that continues after its end is returned from its beginning, whole peaks once', () => {
  const store = new PcmStore(1000);
  const envelopes = new Envelopes();
  appendSamples(store, new Int16Array(10).fill(1000));
  envelopes.received(1, store);
  expect(envelopes.take()).toEqual([{ turn: 1, from: 0, peaks: Uint8Array.of(8) }]);
  expect(envelopes.take()).toEqual([]);
  envelopes.ended(1);
  appendSamples(store, Int16Array.of(32_767));
  envelopes.received(1, store);
  expect(peaksOf(envelopes.take(), 1)).toEqual([8, 255]);
});

it('a prebuffer target is marked on its context when it changes', () => {
  const world = new World();
  world.attachPlayer();
  world.connect();
  world.do({ type: 'speak', text: 'Hi.' });
  for (let idx = 0; idx < 4; idx += 1) {
    world.socket.say(audioFrame(samplesOf(100), idx));
    world.advance(idx === 2 ? 800 : 20);
  }
  const [first, ...others] = world.marks.filter(({ kind }) => kind === 'prebufferTarget');
  expect(first).toMatchObject({ context: '', turn: null, amount: 160 });
  expect(others.length).toBeGreaterThan(0);
  const amounts = [first, ...others].map((mark) => mark?.amount);
  expect(amounts.every((amount, at) => amount !== amounts[at - 1])).toBe(true);
});

it('drift is marked once it is known and when it changes, from zero for another output', () => {
  const world = new World();
  const run = (count: number, rate: number) => {
    const before = world.marks.length;
    for (let at = 0; at < count; at += 1) {
      const contextTimeS = ((world.nowMs - 1_000_000) / 1000) * rate;
      world.do({ type: 'anchor', anchor: { contextTimeS, wallMs: world.nowMs, outputLatencyMs: 0 } });
      world.advance(500);
    }
    return world.marks.slice(before).filter(({ kind }) => kind === 'drift').length;
  };
  world.attachPlayer();
  expect(run(14, 1)).toBe(0);
  expect(run(2, 1)).toBe(1);
  expect(run(20, 1)).toBe(0);
  world.attachPlayer();
  expect(run(14, 1.001)).toBe(0);
  expect(run(20, 1.001)).toBeGreaterThan(1);
});

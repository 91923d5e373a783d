import { expect, test, vi } from 'vitest';
import { AudioClock } from '#player/clock.ts';
import { PcmStore } from '#player/pcm-store.ts';
import { appendSamples } from '#player/testing/append-samples.ts';
import { World } from '../testing/world.ts';
import { Turn } from '../turns/turn.ts';
import { TimelineFeed } from './timeline-feed.ts';

function feeding() {
  const publisher = new World().session.publisher;
  const mark = vi.spyOn(publisher, 'mark');
  const changed = vi.spyOn(publisher, 'changed');
  const marks = () => mark.mock.calls.splice(0).map(([kind, atMs, details]) => ({ kind, atMs, ...details }));
  return { marks, changed, feed: new TimelineFeed({ publisher }) };
}

test('marks the start floor of a context when it changes, and passes on the new part of each envelope', () => {
  const { marks, changed, feed } = feeding();
  const turn = new Turn(7, 'anna', 'whole', null);
  const store = new PcmStore(1000);
  for (const [atMs, floorMs] of [
    [10, 160],
    [20, 160],
    [30, 240],
  ] as const) {
    appendSamples(
      store,
      Int16Array.from({ length: 10 }, () => 32_767),
    );
    feed.received(turn, store, floorMs, atMs);
  }
  expect(marks()).toEqual([
    { kind: 'floor', atMs: 10, context: 'anna', amount: 160 },
    { kind: 'floor', atMs: 30, context: 'anna', amount: 240 },
  ]);
  expect(changed.mock.calls.filter(([part]) => part === 'envelopes')).toHaveLength(3);
  expect(feed.takeEnvelopes()).toEqual([{ turn: 7, from: 0, peaks: Uint8Array.of(255, 255, 255) }]);
});

test('marks drift once it is known, again when it changes, and from zero for another output', () => {
  const { marks, feed } = feeding();
  let clock = new AudioClock(24_000);
  const run = (fromS: number, count: number, rate: number) => {
    for (let at = 0; at < count; at += 1) {
      const wallMs = 1_000_000 + (fromS + at * 0.5) * 1000;
      clock.anchor({ contextTimeS: (fromS + at * 0.5) * rate, wallMs, outputLatencyMs: 0 });
      feed.drifted(clock.driftMs, wallMs);
    }
    return marks().map(({ kind, context = null }) => [kind, context]);
  };
  expect(run(0, 15, 1)).toEqual([]);
  expect(run(7.5, 1, 1)).toEqual([['drift', null]]);
  expect(run(8, 20, 1)).toEqual([]);
  clock = new AudioClock(24_000);
  expect(run(0, 15, 1.001)).toEqual([]);
  expect(run(7.5, 20, 1.001).length).toBeGreaterThan(1);
});

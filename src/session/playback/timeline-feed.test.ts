import { expect, test, vi } from 'vitest';
import { AudioClock } from '#player/clock.ts';
import { PcmStore } from '#player/pcm-store.ts';
import { Marks } from '../turns/marks.ts';
import { Turn } from '../turns/turn.ts';
import { TimelineFeed } from './timeline-feed.ts';

function feeding() {
  const marks = new Marks(() => undefined);
  const changed = vi.fn();
  return { marks, changed, feed: new TimelineFeed(marks, changed) };
}

test('the start floor of a context is told when it changes, and each envelope as far as it is new', () => {
  const { marks, changed, feed } = feeding();
  const turn = new Turn(7, 'anna', 'whole', null);
  const store = new PcmStore(1000);
  for (const [atMs, floorMs] of [
    [10, 160],
    [20, 160],
    [30, 240],
  ] as const) {
    store.appendSamples(Int16Array.from({ length: 10 }, () => 32_767));
    feed.received(turn, store, floorMs, atMs);
  }
  expect(marks.take()).toEqual([
    { kind: 'floor', atMs: 10, context: 'anna', turn: null, amount: 160 },
    { kind: 'floor', atMs: 30, context: 'anna', turn: null, amount: 240 },
  ]);
  expect(changed).toHaveBeenCalledTimes(3);
  expect(feed.takeEnvelopes()).toEqual([{ turn: 7, from: 0, peaks: Uint8Array.of(255, 255, 255) }]);
});

test('a connection is told where it begins and ends, not each time that it is asked to', () => {
  const { marks, feed } = feeding();
  feed.connected(false, 1);
  feed.connected(true, 2);
  feed.connected(true, 3);
  feed.connected(false, 4);
  expect(marks.take().map(({ kind, atMs }) => [kind, atMs])).toEqual([
    ['connected', 2],
    ['disconnected', 4],
  ]);
});

test('marks the drift once it is known, where it has changed, and from nothing for another output', () => {
  const { marks, feed } = feeding();
  let clock = new AudioClock(24_000);
  const run = (fromS: number, count: number, rate: number) => {
    for (let at = 0; at < count; at += 1) {
      const wallMs = 1_000_000 + (fromS + at * 0.5) * 1000;
      clock.anchor({ contextTimeS: (fromS + at * 0.5) * rate, wallMs, outputLatencyMs: 0 });
      feed.drifted(clock.driftMs, wallMs);
    }
    return marks.take().map(({ kind, context }) => [kind, context]);
  };
  expect(run(0, 15, 1)).toEqual([]);
  expect(run(7.5, 1, 1)).toEqual([['drift', null]]);
  expect(run(8, 20, 1)).toEqual([]);
  clock = new AudioClock(24_000);
  expect(run(0, 15, 1.001)).toEqual([]);
  expect(run(7.5, 20, 1.001).length).toBeGreaterThan(1);
});

import { expect, test } from 'vitest';
import { heardTurn, queuedTurn, twoChunks } from '../../studio/timeline/testing/turns.ts';
import { heardSecondsOf, itemsIn, segmentEnds, TurnLanes, unheardSeconds } from './turn-lanes.ts';

test('an update of the last turn gives the same result as a rebuild', () => {
  const first = heardTurn(1, 500, 1500);
  const lanes = new TurnLanes();
  lanes.update([first, queuedTurn(2)]);
  lanes.update([first, heardTurn(2, 2000, 3000), heardTurn(3, 4000, 5000, { context: 'ben' })]);
  expect(lanes.ids).toEqual(['anna', 'ben']);
  expect(lanes.lane('anna').heard.map(({ fromMs }) => fromMs)).toEqual([500, 2000]);
  expect(lanes.lane('anna').heardSeconds).toBe(2);
  expect(lanes.pending).toEqual([]);
});

test('counts silence as not heard, and cut audio as unheard', () => {
  const cut = heardTurn(1, 0, 600, {
    state: 'cancelled',
    silencedMs: 600,
    played: [
      { sample: 0, count: 100, atMs: 0 },
      { sample: 100, count: 300, atMs: 300 },
    ],
    underruns: [{ atMs: 100, atSample: 100, lengthMs: 200 }],
  });
  expect(heardSecondsOf(cut, 9000)).toBeCloseTo(0.4);
  expect(unheardSeconds(cut)).toBeCloseTo(0.6);
  expect(unheardSeconds(queuedTurn(2))).toBe(0);
});

test('a turn silenced before it was heard is not pending, and all of it is lost', () => {
  const silenced = queuedTurn(1, { held: true, silencedMs: 900 });
  const lanes = new TurnLanes();
  lanes.update([silenced, queuedTurn(2)]);
  expect(lanes.pending.map(({ id }) => id)).toEqual([2]);
  expect(unheardSeconds(silenced)).toBe(1);
});

test('a view of ten thousand items has no more items than pixels', () => {
  const items = Array.from({ length: 10_000 }, (_, at) => ({ fromMs: at * 10, toMs: at * 10 + 5 }));
  expect(itemsIn(items, 0, 100_000, 1000).length).toBeLessThanOrEqual(101);
  expect(itemsIn(items, 502, 525, 1).map(({ fromMs }) => fromMs)).toEqual([500, 510, 520]);
});

test.each([
  ['server', { fromMs: 0, toMs: 150 }],
  ['firstAudioFrame', { fromMs: 150, toMs: 200 }],
  ['firstSample', { fromMs: 200, toMs: 400 }],
  ['startFloor', null],
] as const)('the segment %s of the wait has its ends', (name, ends) => {
  expect(segmentEnds(twoChunks(), name)).toEqual(ends);
});

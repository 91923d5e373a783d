import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { depthAt, depthsIn, depthTop } from './depth.ts';

function world(turns = [twoChunks()]) {
  const lanes = new TurnLanes();
  lanes.update(turns);
  const marks = new LaneStore();
  marks.append(twoChunkMarks);
  return { lane: lanes.lane(''), marks };
}

test.each([
  ['before anything came', 100, 0],
  ['with the first frame', 200, 300],
  ['with the second', 300, 600],
  ['while it is heard', 700, 300],
  ['run dry, with the third frame', 1000, 200],
  ['in the underrun it only grows', 1090, 400],
  ['while the rest is heard', 1300, 200],
  ['at the end', 1600, 0],
])('%s', (_, ms, depth) => {
  const { lane, marks } = world();
  expect(depthAt('', lane, marks, ms)).toBeCloseTo(depth, 6);
});

test('a barge-in empties it, and what came before does not come back', () => {
  const { lane, marks } = world([
    twoChunks({
      heardToMs: 600,
      silencedMs: 600,
      played: [{ sample: 0, count: 200, atMs: 400 }],
      underruns: [],
    }),
  ]);
  expect(depthAt('', lane, marks, 599)).toBeCloseTo(401, 6);
  // Of what comes later nothing is played, and none of it is counted as waiting.
  expect(depthAt('', lane, marks, 700)).toBe(0);
});

test('all pixels of a window agree with looking at each moment', () => {
  const { lane, marks } = world();
  fc.assert(
    fc.property(
      fc.integer({ min: -500, max: 1500 }),
      fc.double({ min: 0.5, max: 30, noNaN: true }),
      (startMs, msPerPx) => {
        const scale = new TimeScale(startMs + 0.25, msPerPx, 60);
        const depths = depthsIn('', lane, marks, scale, 0, 60);
        for (const [px, depth] of depths.entries()) {
          expect(depth).toBeCloseTo(depthAt('', lane, marks, scale.toMs(px + 1)), 6);
        }
      },
    ),
  );
});

test.each([
  [0, 250],
  [230, 250],
  [250, 500],
  [3600, 4000],
  [3900, 8000],
  [700_000, 1_200_000],
])('a depth of %d ms is drawn on a scale of %d', (most, top) => expect(depthTop(most)).toBe(top));

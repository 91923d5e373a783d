import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { timelineWorld, twoChunks } from '../testing/turns.ts';
import { bufferDepth, depthAt, spanFigures } from './figures.ts';

test.each([
  ['before any audio', 100, 0],
  ['with the first frame', 200, 300],
  ['with the second frame', 300, 600],
  ['while it is heard', 700, 300],
  ['empty, with the third frame', 1000, 200],
  ['in an underrun it only grows', 1090, 400],
  ['while the rest is heard', 1300, 200],
  ['at the end', 1600, 0],
])('the depth is right %s', (_, ms, depth) => {
  const { lanes, marks } = timelineWorld();
  expect(depthAt('', lanes.lane(''), marks, ms)).toBeCloseTo(depth, 6);
});

test('a barge-in empties the buffer for good', () => {
  const played = [{ sample: 0, count: 200, atMs: 400 }];
  const turns = [twoChunks({ heardToMs: 600, silencedMs: 600, played, underruns: [] })];
  const { lanes, marks } = timelineWorld({ turns });
  expect(depthAt('', lanes.lane(''), marks, 599)).toBeCloseTo(401, 6);
  // Later audio is not played, so it does not count.
  expect(depthAt('', lanes.lane(''), marks, 700)).toBe(0);
});

test('the depth of each pixel is that of its moment', () => {
  const { lanes, marks } = timelineWorld();
  fc.assert(
    fc.property(
      fc.integer({ min: -500, max: 1500 }),
      fc.double({ min: 0.5, max: 30, noNaN: true }),
      (startMs, msPerPx) => {
        const scale = new TimeScale(startMs + 0.25, msPerPx, 60);
        const { depths } = bufferDepth('', lanes.lane(''), marks, scale, 5000);
        expect(depths).toHaveLength(60);
        for (const [px, depth] of depths.entries()) {
          expect(depth).toBeCloseTo(depthAt('', lanes.lane(''), marks, scale.toMs(px + 1)), 6);
        }
      },
    ),
  );
});

test.each([
  [0, 0],
  [1, 250],
  [230, 250],
  [250, 500],
  [3600, 4000],
  [3900, 8000],
  [700_000, 1_200_000],
])('a depth of %d ms is shown on a scale of %d', (amount, top) => {
  const events = [{ kind: 'audio', atMs: 0, context: '', turn: 1, amount }] as const;
  const { lane } = timelineWorld({ turns: [], events });
  expect(lane.depth?.topMs).toBe(top);
});

describe('figures of a span', () => {
  const { lanes, marks } = timelineWorld();
  const figures = (fromMs: number, toMs: number, nowMs = 5000) =>
    spanFigures(fromMs, toMs, lanes, marks, nowMs);

  test('the span of a turn has all of it', () => {
    expect(figures(0, 2000)).toEqual({
      durationMs: 2000,
      textFrames: 2,
      characters: 15,
      audioFrames: 4,
      receivedMs: 1000,
      heardMs: 1000,
      generationMs: 590,
      underruns: 1,
    });
  });

  test('a span includes its start and excludes its end', () => {
    expect(figures(100, 1000)).toEqual({
      durationMs: 900,
      textFrames: 1,
      characters: 7,
      audioFrames: 2,
      receivedMs: 600,
      heardMs: 600,
      generationMs: 500,
      underruns: 1,
    });
  });

  test('the future does not count', () => {
    expect(figures(0, 2000, 700)).toMatchObject({ heardMs: 300, generationMs: 200 });
  });

  test('two adjacent spans add up to their union', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(1800), fc.nat(1800), fc.nat(1800)).map((all) => all.sort((a, b) => a - b)),
        ([from, middle, to]) => {
          const [left, right, both] = [
            figures(from ?? 0, middle ?? 0),
            figures(middle ?? 0, to ?? 0),
            figures(from ?? 0, to ?? 0),
          ];
          // An underrun counts in each span that it reaches into.
          for (const name of Object.keys(both).filter(
            (each) => each !== 'underruns',
          ) as (keyof typeof both)[]) {
            expect(left[name] + right[name]).toBeCloseTo(both[name], 6);
          }
        },
      ),
    );
  });
});

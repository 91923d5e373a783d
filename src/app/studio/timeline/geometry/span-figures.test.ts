import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { spanFigures } from './span-figures.ts';

const lanes = new TurnLanes();
lanes.update([twoChunks()]);
const marks = new LaneStore();
marks.append(twoChunkMarks);
const figures = (fromMs: number, toMs: number, nowMs = 5000) =>
  spanFigures(fromMs, toMs, lanes, marks, nowMs);

test('the whole of a turn has all of it', () => {
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

test('a part has what lies in it, its start with it and its end without', () => {
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

test('what is yet to be is not in it', () => {
  expect(figures(0, 2000, 700)).toMatchObject({ heardMs: 300, generationMs: 200 });
});

test('two spans side by side add up to the one they make', () => {
  fc.assert(
    fc.property(
      fc.tuple(fc.nat(1800), fc.nat(1800), fc.nat(1800)).map((all) => all.sort((a, b) => a - b)),
      ([from, middle, to]) => {
        const [left, right, both] = [
          figures(from ?? 0, middle ?? 0),
          figures(middle ?? 0, to ?? 0),
          figures(from ?? 0, to ?? 0),
        ];
        for (const name of ['durationMs', 'textFrames', 'characters', 'audioFrames', 'receivedMs'] as const) {
          expect(left[name] + right[name]).toBeCloseTo(both[name], 6);
        }
        for (const name of ['heardMs', 'generationMs'] as const) {
          expect(left[name] + right[name]).toBeCloseTo(both[name], 6);
        }
      },
    ),
  );
});

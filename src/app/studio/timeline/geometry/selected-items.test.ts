import { expect, test } from 'vitest';
import type { Selected } from '../../../session-client/selection.ts';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { segmentEnds, TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { selectedItems, stripsOf } from './display-list.ts';

const lanes = new TurnLanes();
lanes.update([twoChunks()]);
const marks = new LaneStore();
marks.append(twoChunkMarks);

const found = (selected: Selected, store = marks) =>
  selectedItems(selected, { lanes, marks: store, nowMs: 5000 }).flatMap((item) =>
    stripsOf(item).map((strip) => [strip, item.fromMs, item.toMs]),
  );

test.each<[Selected, unknown[]]>([
  [
    { kind: 'turn', turn: 1 },
    [
      ['heard', 400, 1500],
      ['text', 0, 100],
    ],
  ],
  [
    { kind: 'chunk', turn: 1, chunk: 1 },
    [
      ['chunks', 700, 1090],
      ['heard', 1100, 1500],
    ],
  ],
  [{ kind: 'word', turn: 1, chunk: 0, word: 1 }, [['heard', 700, 900]]],
  [
    { kind: 'underrun', turn: 1, underrun: 0 },
    [
      ['heard', 1000, 1100],
      ['buffer', 1000, 1100],
    ],
  ],
  [{ kind: 'frame', frame: 9, turn: 1, chunk: 0 }, [['audio', 300, 300]]],
  [{ kind: 'frame', frame: 4, turn: 1, chunk: null }, [['text', 100, 100]]],
  // A frame without a mark, such as one of word timings, is shown by its chunk.
  [
    { kind: 'frame', frame: 10, turn: 1, chunk: 0 },
    [
      ['chunks', 150, 350],
      ['heard', 400, 1000],
    ],
  ],
  [{ kind: 'word', turn: 1, chunk: 1, word: 0 }, []],
  [{ kind: 'underrun', turn: 1, underrun: 4 }, []],
  [{ kind: 'turn', turn: 9 }, []],
])('%j has its items', (selected, places) => expect(found(selected)).toEqual(places));

test('a frame is found by its number among the frames of several recordings', () => {
  const store = new LaneStore();
  store.append(twoChunkMarks);
  store.append([{ kind: 'text', atMs: 2000, context: '', turn: 2, amount: 1, frame: 103 }]);
  const at = (frame: number | null) => found({ kind: 'frame', frame, turn: null, chunk: null }, store);
  expect(at(103)).toEqual([['text', 2000, 2000]]);
  expect(at(3)).toEqual([['text', 0, 0]]);
  expect(at(null)).toEqual([]);
});

test.each([
  ['server', { fromMs: 0, toMs: 150 }],
  ['firstAudioFrame', { fromMs: 150, toMs: 200 }],
  ['firstSample', { fromMs: 200, toMs: 400 }],
  ['startFloor', null],
] as const)('the segment %s of the wait has its ends', (name, ends) => {
  expect(segmentEnds(twoChunks(), name)).toEqual(ends);
});

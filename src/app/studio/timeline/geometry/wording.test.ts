import { expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { tableRows } from './wording.ts';

const speakers = [{ id: '', name: 'Marta', hue: 2 }];

function rowsOf(most = 100) {
  const lanes = new TurnLanes();
  lanes.update([twoChunks()]);
  const marks = new LaneStore();
  marks.append(twoChunkMarks);
  const ofConnection = { context: null, turn: null, amount: 0 };
  marks.append([
    { kind: 'fault', atMs: 1900, ...ofConnection, text: 'odd-byte@2' },
    { kind: 'fault', atMs: 1900, ...ofConnection, text: 'reset@2' },
    { kind: 'disconnected', atMs: 2000, ...ofConnection },
  ]);
  return tableRows(speakers, { lanes, marks }, most, []);
}

test('the table has the items of every lane in the order of time', () => {
  expect(rowsOf().rows.map(({ what, fromMs, toMs, detail }) => [what, fromMs, toMs, detail])).toEqual([
    ['text sent', 0, 100, '2 frames, 15 characters'],
    ['wait', 0, 400, 'first text to first audible'],
    ['chunk 0', 150, 350, 'One two.'],
    ['audio received', 200, 300, '2 audio frames of chunk 0, 0.60 s'],
    ['start floor', 200, null, '160 ms'],
    ['heard', 400, 1500, '1.00 s of audio'],
    ['buffer', 400, null, '600 ms when hearing began'],
    ['chunk 1', 700, 1090, 'Three.'],
    ['audio received', 1000, 1080, '2 audio frames of chunk 1, 0.40 s'],
    ['underrun', 1000, 1100, 'silence within the turn'],
    ['fault', 1900, null, 'odd-byte@2, reset@2'],
    ['disconnected', 2000, null, ''],
  ]);
});

test('the table of a long session has the newest items', () => {
  const { rows, hasMore } = rowsOf(3);
  expect(rows.map(({ what }) => what)).toEqual(['underrun', 'fault', 'disconnected']);
  expect(hasMore).toBe(true);
});

import { describe, expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { heardTurn, oneChunk, queuedTurn, timelineView } from '../testing/turns.ts';
import { displayList, expectedSound, type LaneItems, type TimelineView } from './display-list.ts';
import { blockAt, LANE_SHAPES } from './lane-shape.ts';

function laneOf(lanes: TurnLanes, id: string, rest: Partial<TimelineView> = {}): LaneItems {
  const blocks = [blockAt({ id, hue: 1 }, 0, LANE_SHAPES.open)];
  const [lane] = displayList(timelineView(lanes, new LaneStore(), { blocks, ...rest })).lanes;
  if (!lane) throw new Error('The block is not in view.');
  return lane;
}

test('a turn silenced before it was heard is not expected', () => {
  const silenced = queuedTurn(1, { held: true, silencedMs: 900 });
  expect(expectedSound([silenced, queuedTurn(2)], 1000, 'inTurn', 250)).toMatchObject([
    { fromMs: 1000, turn: { id: 2 } },
  ]);
});

describe('audio that is still to be heard is expected', () => {
  const speaking = queuedTurn(1, { heardFromMs: 1000, played: [{ sample: 0, count: 1, atMs: 1000 }] });
  test('in turn with the pause between', () => {
    const expected = expectedSound([speaking, queuedTurn(2), queuedTurn(3)], 1400, 'inTurn', 250);
    expect(expected.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [1400, 2000],
      [2250, 3250],
      [3500, 4500],
    ]);
  });

  test('together from the play head on', () => {
    const expected = expectedSound([speaking, queuedTurn(2)], 1400, 'together', 250);
    expect(expected.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [1400, 2000],
      [1400, 2400],
    ]);
  });
});

describe('the items of a lane', () => {
  test('have the first wait once, and none while another speaker is heard', () => {
    const lanes = new TurnLanes();
    lanes.update([heardTurn(1, 500, 1500), heardTurn(2, 1750, 2750, { context: 'ben' })]);
    const silences = (id: string) => laneOf(lanes, id).waits.map(({ fromMs, toMs }) => [fromMs, toMs]);
    expect(silences('anna')).toEqual([[0, 500]]);
    expect(silences('ben')).toEqual([]);
  });

  test('have words after an underrun later by its length', () => {
    const words = [
      { word: 'One', startMs: 0, endMs: 400, charStart: 0, charEnd: 3 },
      { word: 'two', startMs: 500, endMs: 900, charStart: 4, charEnd: 7 },
    ];
    const lanes = new TurnLanes();
    lanes.update([
      heardTurn(1, 1000, 2300, {
        underruns: [{ atMs: 1450, atSample: 450, lengthMs: 300 }],
        played: [
          { sample: 0, count: 450, atMs: 1000 },
          { sample: 450, count: 550, atMs: 1750 },
        ],
        chunks: [oneChunk({ heardFromMs: 1000, heardToMs: 2300, words })],
      }),
    ]);
    const { words: found, waves, underruns } = laneOf(lanes, 'anna');
    expect(found.map(({ text, fromMs, toMs }) => [text, fromMs, toMs])).toEqual([
      ['One', 1000, 1400],
      ['two', 1800, 2200],
    ]);
    expect(underruns).toMatchObject([{ fromMs: 1450, toMs: 1750, underrun: 0 }]);
    expect(waves.map(({ fromMs, toMs, fromSample }) => [fromMs, toMs, fromSample])).toEqual([
      [1000, 1450, 0],
      [1750, 2300, 450],
    ]);
  });

  test('have a line from a finished chunk to the moment it will be heard', () => {
    const lanes = new TurnLanes();
    lanes.update([queuedTurn(1)]);
    const lane = laneOf(lanes, 'anna', { nowMs: 1000 });
    expect(lane.queued).toEqual([{ fromMs: 400, toMs: 1000 }]);
    expect(lane.waves).toMatchObject([{ fromMs: 1000, toMs: 2000, fromSample: 0, isHeard: false }]);
  });
});

test('audio lost to a barge-in ends where the next turn is heard', () => {
  const cut = heardTurn(1, 1000, 1400, { state: 'cancelled', silencedMs: 1400 });
  const lanes = new TurnLanes();
  lanes.update([cut, heardTurn(2, 1700, 2700)]);
  const { lost } = laneOf(lanes, 'anna');
  expect(lost.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[1400, 1700]]);
  expect(lanes.lane('anna').lost.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[1400, 2000]]);
});

test('words too narrow to read are left out', () => {
  const words = Array.from({ length: 50 }, (_, at) => ({
    word: 'a',
    startMs: at * 20,
    endMs: at * 20 + 20,
    charStart: at,
    charEnd: at + 1,
  }));
  const lanes = new TurnLanes();
  lanes.update([heardTurn(1, 0, 1000, { chunks: [oneChunk({ words })] })]);
  expect(laneOf(lanes, 'anna').words).toHaveLength(50);
  expect(laneOf(lanes, 'anna', { scale: new TimeScale(0, 10, 1000) }).words).toEqual([]);
});

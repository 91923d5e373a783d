import { describe, expect, test } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { ChunkView, TurnView } from '#session/views.ts';
import { drawLane, expectedSound, type LaneInput } from '../../studio/timeline/geometry/lanes.ts';
import { LaneStore } from './lane-store.ts';
import { TimeScale } from './time-scale.ts';
import { heardSecondsOf, spansIn, TurnLanes, unheardSeconds } from './turn-lanes.ts';

const RATE = 1000;

const chunk = (rest: Partial<ChunkView>): ChunkView =>
  chunkView({ text: 'Hello.', audioFrames: 1, samples: 1000, ...rest });

const turn = (id: number, rest: Partial<TurnView> = {}): TurnView =>
  turnView({
    id,
    context: 'anna',
    state: 'ended',
    voice: 1,
    text: 'Hello.',
    textFrames: 1,
    firstTextMs: 0,
    flushedMs: 0,
    endedMs: 400,
    sampleRate: RATE,
    samples: 1000,
    audioFrames: 1,
    chunks: [chunk({ startedMs: 100, completedMs: 400 })],
    ...rest,
  });

/** Heard from one moment to another. */
const heard = (id: number, fromMs: number, toMs: number, rest: Partial<TurnView> = {}): TurnView =>
  turn(id, {
    heardFromMs: fromMs,
    heardToMs: toMs,
    played: [{ sample: 0, count: Math.min(1000, toMs - fromMs), atMs: fromMs }],
    chunks: [chunk({ startedMs: fromMs - 50, completedMs: fromMs, heardFromMs: fromMs, heardToMs: toMs })],
    ...rest,
  });

const input = (lanes: TurnLanes, rest: Partial<LaneInput> = {}): LaneInput => ({
  lanes,
  marks: new LaneStore(),
  scale: new TimeScale(0, 1, 10_000),
  nowMs: 5000,
  listening: 'inTurn',
  pauseMs: 250,
  ...rest,
});

test('an update that changes the last turn gives what building anew gives', () => {
  const first = heard(1, 500, 1500);
  const lanes = new TurnLanes();
  lanes.update([first, turn(2)]);
  lanes.update([first, heard(2, 2000, 3000), heard(3, 4000, 5000, { context: 'ben' })]);
  expect(lanes.ids).toEqual(['anna', 'ben']);
  expect(lanes.lane('anna').heard.map(({ fromMs }) => fromMs)).toEqual([500, 2000]);
  expect(lanes.lane('anna').heardSeconds).toBe(2);
  expect(lanes.pending).toEqual([]);
});

test('silence is no heard audio, and what was cut off is told', () => {
  const cut = heard(1, 0, 600, {
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
  expect(unheardSeconds(turn(2))).toBe(0);
});

test('what was silenced before it began is not awaited, and lost to its last sample', () => {
  const silenced = turn(1, { held: true, silencedMs: 900 });
  const lanes = new TurnLanes();
  lanes.update([silenced, turn(2)]);
  expect(lanes.pending.map(({ id }) => id)).toEqual([2]);
  expect(unheardSeconds(silenced)).toBe(1);
  expect(expectedSound([silenced, turn(2)], 1000, 'inTurn', 250)).toMatchObject([
    { fromMs: 1000, turn: { id: 2 } },
  ]);
});

test('a view of ten thousand turns asks for no more spans than it has pixels', () => {
  const spans = Array.from({ length: 10_000 }, (_, at) => ({ fromMs: at * 10, toMs: at * 10 + 5 }));
  expect(spansIn(spans, 0, 100_000, 1000).length).toBeLessThanOrEqual(101);
  expect(spansIn(spans, 502, 525, 1).map(({ fromMs }) => fromMs)).toEqual([500, 510, 520]);
});

describe('what is still to be heard', () => {
  const speaking = turn(1, { heardFromMs: 1000, played: [{ sample: 0, count: 1, atMs: 1000 }] });
  test('in turn: one after another, with the pause between', () => {
    const told = expectedSound([speaking, turn(2), turn(3)], 1400, 'inTurn', 250);
    expect(told.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [1400, 2000],
      [2250, 3250],
      [3500, 4500],
    ]);
  });

  test('together: all from the play head', () => {
    const told = expectedSound([speaking, turn(2)], 1400, 'together', 250);
    expect(told.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [1400, 2000],
      [1400, 2400],
    ]);
  });
});

describe('a drawn lane', () => {
  test('hatches the first wait once, and none while another speaker is heard', () => {
    const lanes = new TurnLanes();
    lanes.update([heard(1, 500, 1500), heard(2, 1750, 2750, { context: 'ben' })]);
    const silences = (id: string) =>
      drawLane(id, input(lanes), []).waits.map(({ fromMs, toMs }) => [fromMs, toMs]);
    expect(silences('anna')).toEqual([[0, 500]]);
    expect(silences('ben')).toEqual([]);
  });

  test('moves words on by the underrun before them', () => {
    const words = [
      { word: 'One', startMs: 0, endMs: 400, charStart: 0, charEnd: 3 },
      { word: 'two', startMs: 500, endMs: 900, charStart: 4, charEnd: 7 },
    ];
    const lanes = new TurnLanes();
    lanes.update([
      heard(1, 1000, 2300, {
        underruns: [{ atMs: 1450, atSample: 450, lengthMs: 300 }],
        played: [
          { sample: 0, count: 450, atMs: 1000 },
          { sample: 450, count: 550, atMs: 1750 },
        ],
        chunks: [chunk({ heardFromMs: 1000, heardToMs: 2300, words })],
      }),
    ]);
    const { words: told, waves, underruns } = drawLane('anna', input(lanes), []);
    expect(told.map(({ word, fromMs, toMs }) => [word, fromMs, toMs])).toEqual([
      ['One', 1000, 1400],
      ['two', 1800, 2200],
    ]);
    expect(underruns).toMatchObject([{ fromMs: 1450, toMs: 1750, underrun: 0 }]);
    expect(waves.map(({ fromMs, toMs, fromSample }) => [fromMs, toMs, fromSample])).toEqual([
      [1000, 1450, 0],
      [1750, 2300, 450],
    ]);
  });

  test('joins a finished chunk to the moment it will be heard', () => {
    const lanes = new TurnLanes();
    lanes.update([turn(1)]);
    const expected = expectedSound(lanes.pending, 1000, 'inTurn', 0);
    const drawing = drawLane('anna', input(lanes, { nowMs: 1000 }), expected);
    expect(drawing.queued).toEqual([{ fromMs: 400, toMs: 1000 }]);
    expect(drawing.waves).toMatchObject([{ fromMs: 1000, toMs: 2000, fromSample: 0, isHeard: false }]);
  });
});

test('what a barge-in cut off is drawn up to where something is heard again', () => {
  const cut = heard(1, 1000, 1400, { state: 'cancelled', silencedMs: 1400 });
  const lanes = new TurnLanes();
  lanes.update([cut, heard(2, 1700, 2700)]);
  const { lost } = drawLane('anna', input(lanes), []);
  expect(lost.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[1400, 1700]]);
  expect(lanes.lane('anna').lost.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([[1400, 2000]]);
});

test('words too narrow to be read are not told one by one', () => {
  const words = Array.from({ length: 50 }, (_, at) => ({
    word: 'a',
    startMs: at * 20,
    endMs: at * 20 + 20,
    charStart: at,
    charEnd: at + 1,
  }));
  const lanes = new TurnLanes();
  lanes.update([heard(1, 0, 1000, { chunks: [chunk({ words })] })]);
  expect(drawLane('anna', input(lanes), []).words).toHaveLength(50);
  expect(drawLane('anna', input(lanes, { scale: new TimeScale(0, 10, 1000) }), []).words).toEqual([]);
});

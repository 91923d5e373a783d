import { expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { displayList } from '../geometry/display-list.ts';
import { blockAt, LANE_SHAPES } from '../geometry/lane-shape.ts';
import { namedBrushes, paintedTexts, recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { timelineView, twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { paintBuffer } from './paint-buffer.ts';

const STRIP = { top: 100, height: 48 };
/** 1000 ms of audio are 40 px high. */
const BASE = 144;

function painted() {
  const lanes = new TurnLanes();
  lanes.update([twoChunks()]);
  const marks = new LaneStore();
  marks.append(twoChunkMarks);
  const { to, painted: calls } = recordingCanvas();
  const scale = new TimeScale(0, 2, 1000);
  const shape = { ...LANE_SHAPES.open, strips: { ...LANE_SHAPES.open.strips, buffer: STRIP } };
  const blocks = [blockAt({ id: '', hue: 1 }, 0, shape)];
  const [lane] = displayList(timelineView(lanes, marks, { scale, blocks, nowMs: 1600 })).lanes;
  if (lane) paintBuffer({ ...namedBrushes, to, scale }, lane);
  return calls;
}

test('the line steps up with each audio frame, falls while audio is heard, and is level in silence', () => {
  const line = rectsOf(painted(), 'text-muted');
  const lowAt = (px: number): number => {
    const [, top = 0, , height = 0] =
      line.find(([left = 0, , width = 0]) => px >= left && px < left + width) ?? [];
    return top + height - 0.5;
  };
  expect(lowAt(50)).toBe(BASE);
  expect(lowAt(120)).toBeCloseTo(BASE - 12);
  expect(lowAt(180)).toBeCloseTo(BASE - 24);
  expect(lowAt(350)).toBeCloseTo(BASE - 12, 0);
  expect(lowAt(530)).toBeCloseTo(BASE - 8, 0);
  expect(lowAt(780)).toBeCloseTo(BASE, 0);
});

test('the start floor is dotted from its mark on, and both lines have figures', () => {
  const calls = painted();
  const floor = calls.find(({ name, args }) => name === 'moveTo' && args[0] === 100);
  expect(Number(floor?.args[1])).toBeCloseTo(BASE - 6.4, -0.5);
  expect(paintedTexts(calls)).toEqual(['1 s', 'floor 160 ms']);
});

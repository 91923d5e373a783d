import { expect, test } from 'vitest';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { namedBrushes, paintedTexts, recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { timelineWorld } from '../testing/turns.ts';
import { paintBuffer } from './paint-buffer.ts';

const STRIP = { top: 100, height: 48 };
/** 1000 ms of audio are 40 px high. */
const BASE = 144;

function painted() {
  const scale = new TimeScale(0, 2, 1000);
  const { lane } = timelineWorld({ scale, nowMs: 1600 });
  const { to, painted: calls } = recordingCanvas();
  const block = { ...lane.block, strips: { ...lane.block.strips, buffer: STRIP } };
  paintBuffer({ ...namedBrushes, to, scale }, { ...lane, block });
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

test('the prebuffer target is dotted from its mark on, and both lines have figures', () => {
  const calls = painted();
  const target = calls.find(({ name, args }) => name === 'moveTo' && args[0] === 100);
  expect(Number(target?.args[1])).toBeCloseTo(BASE - 6.4, -0.5);
  expect(paintedTexts(calls)).toEqual(['1 s', 'target 160 ms']);
});

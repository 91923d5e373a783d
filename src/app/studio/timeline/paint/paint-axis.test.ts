import { expect, test } from 'vitest';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { namedBrushes, paintedTexts, recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { timelineWorld } from '../testing/turns.ts';
import { paintAxis } from './paint-axis.ts';

function painted(rest: Partial<Parameters<typeof paintAxis>[2]> = {}) {
  const { to, painted: calls } = recordingCanvas();
  const times = { originMs: 0, headMs: null, headAudioMs: null, cursorMs: null, ...rest };
  const scale = new TimeScale(-100, 2, 1000);
  paintAxis({ ...namedBrushes, to, scale }, timelineWorld().list.view, times);
  return calls;
}

/** Labels with their positions. */
const labels = (calls: ReturnType<typeof painted>, row: 'wall' | 'audio') =>
  calls
    .filter(({ name, args }) => name === 'fillText' && Number(args[2]) < 20 === (row === 'wall'))
    .map(({ args }) => [args[0], Number(args[1]) - 4]);

test('the wall clock runs evenly from the first text', () => {
  expect(labels(painted(), 'wall').slice(0, 4)).toEqual([
    ['0.0 s', 50],
    ['0.2 s', 150],
    ['0.4 s', 250],
    ['0.6 s', 350],
  ]);
});

test('the audio clock starts with hearing, stops in the underrun, and goes on after it', () => {
  const calls = painted();
  expect(labels(calls, 'audio')).toEqual([
    ['0.0 s', 250],
    ['0.2 s', 350],
    ['0.4 s', 450],
    ['0.6 s', 550],
    ['0.6 s', 600],
    ['0.8 s', 700],
    ['1.0 s', 800],
  ]);
  const line = rectsOf(calls, 'text-subtle').filter(([, , , height]) => height === 1.5);
  expect(line).toEqual([
    [250, 38, 300, 1.5],
    [600, 38, 200, 1.5],
  ]);
});

test('the play head has both times, the cursor its own; outside of the window neither has a flag', () => {
  expect(paintedTexts(painted({ headMs: 1200, headAudioMs: 700, cursorMs: 300 }))).toEqual(
    expect.arrayContaining(['1.20 s', '0.70 s', '0.30 s']),
  );
  expect(paintedTexts(painted({ headMs: 9000, headAudioMs: 700 }))).not.toContain('9.00 s');
});

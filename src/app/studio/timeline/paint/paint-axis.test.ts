import { expect, test } from 'vitest';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { namedBrushes, recordingCanvas, rectsOf, wordsOf } from '../testing/recording-canvas.ts';
import { twoChunks } from '../testing/turns.ts';
import { type AxisInput, paintAxis } from './paint-axis.ts';

function painted(rest: Partial<AxisInput> = {}) {
  const lanes = new TurnLanes();
  lanes.update([twoChunks()]);
  const { to, painted: calls } = recordingCanvas();
  paintAxis(
    to,
    {
      scale: new TimeScale(-100, 2, 1000),
      originMs: 0,
      lanes,
      nowMs: 5000,
      headMs: null,
      headAudioMs: null,
      cursorMs: null,
      ...rest,
    },
    namedBrushes,
  );
  return calls;
}

/** Labels with the place they stand at. */
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

test('the audio clock begins when hearing does, stands in the underrun, and goes on behind it', () => {
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

test('the play head carries both times, the cursor its own', () => {
  const calls = painted({ headMs: 1200, headAudioMs: 700, cursorMs: 300 });
  expect(wordsOf(calls)).toEqual(expect.arrayContaining(['1.20 s', '0.70 s', '0.30 s']));
});

test('a head outside of the window has no flag', () => {
  expect(wordsOf(painted({ headMs: 9000, headAudioMs: 700 }))).not.toContain('9.00 s');
});

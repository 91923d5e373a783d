import { describe, expect, test, vi } from 'vitest';
import { soundFinding } from '../../../recordings-client/testing/sound-finding.ts';
import { EnvelopeStore } from '../../../session-client/timeline/envelope-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { namedBrushes, paintedTexts, recordingCanvas, rectsOf } from '../testing/recording-canvas.ts';
import { timelineWorld, twoChunks } from '../testing/turns.ts';
import { paintBuffer } from './paint-buffer.ts';
import { paintSpans } from './paint-lane.ts';
import { paintMarks } from './paint-marks.ts';

/** One block of one turn, 1 ms to a pixel from its first text on. */
function painted({ scale = new TimeScale(0, 1, 2000), ...rest }: Parameters<typeof timelineWorld>[0] = {}) {
  const { lane } = timelineWorld({ scale, ...rest });
  const envelopes = new EnvelopeStore();
  envelopes.take([{ turn: 1, from: 0, peaks: Uint8Array.from({ length: 100 }, () => 255) }]);
  const { to, painted: calls } = recordingCanvas();
  const pen = { ...namedBrushes, to, scale };
  paintSpans(pen, lane, envelopes);
  paintMarks(pen, lane);
  paintBuffer(pen, lane);
  return calls;
}

describe('the only block', () => {
  const calls = painted();
  const voice = rectsOf(calls, 'voice 1');

  test('has a thin tick for each text frame, and a thick one with a name for the flush', () => {
    expect(rectsOf(calls, 'text-subtle')).toContainEqual([0, 9, 1, 10]);
    expect(rectsOf(calls, 'text-subtle')).toContainEqual([100, 9, 1, 10]);
    expect(rectsOf(calls, 'text')).toContainEqual([100, 5, 2.5, 18]);
    expect(paintedTexts(calls)).toContain('flush');
  });

  test('has a bar with an edge for each chunk, with id and text', () => {
    const bars = calls.filter(({ name, args }) => name === 'roundRect' && args[3] === 20);
    expect(bars.map(({ args }) => [args[0], args[2]])).toEqual([
      [150, 200],
      [700, 390],
    ]);
    expect(voice).toContainEqual([150, 34, 2, 20]);
    expect(paintedTexts(calls)).toEqual(expect.arrayContaining(['0', 'One two.', '1', 'Three.']));
  });

  test('has a tick for each audio frame', () => {
    for (const ms of [200, 300, 1000, 1080]) expect(voice).toContainEqual([ms, 68, 1.5, 12]);
  });

  test('has the wave only where the turn was heard, as high as it is loud', () => {
    const bars = voice.filter(([, top, width]) => width === 2 && (top ?? 0) >= 130);
    expect(bars.length).toBeGreaterThan(300);
    for (const [left = 0, , , height] of bars) {
      const isHeard = (left > 396 && left < 1000) || (left > 1096 && left < 1500);
      expect(isHeard, `a bar at ${left}`).toBe(true);
      expect(height).toBe(44);
    }
  });

  test('hatches only the wait and the underrun in amber', () => {
    expect(rectsOf(calls, 'wait hatching')).toEqual([
      [0, 134, 400, 44],
      [1000, 89, 100, 89],
    ]);
    expect(paintedTexts(calls)).toEqual(expect.arrayContaining(['wait', 'underrun 100 ms']));
  });

  test('has each word below its sound', () => {
    const words = calls.filter(({ name, args }) => name === 'fillText' && args[2] === 181);
    expect(words.map(({ args }) => [args[0], args[1]])).toEqual([
      ['One', 400],
      ['two', 700],
    ]);
  });
});

test('audio that was never heard has other hatching and its length', () => {
  const played = [{ sample: 0, count: 300, atMs: 400 }];
  const cut = twoChunks({ state: 'cancelled', heardToMs: 700, silencedMs: 700, played, underruns: [] });
  const calls = painted({ turns: [cut] });
  expect(rectsOf(calls, 'lost hatching')).toEqual([[700, 145, 700, 22]]);
  expect(paintedTexts(calls)).toContain('never heard 0.70 s');
});

test('audio that is still to be heard is faint', () => {
  const turn = twoChunks({ heardToMs: null, played: [{ sample: 0, count: 1, atMs: 400 }], underruns: [] });
  const calls = painted({ turns: [turn], nowMs: 900 });
  const bars = calls.filter(({ fill, args }) => fill === 'voice 1' && args[2] === 2 && Number(args[1]) > 130);
  for (const { args, alpha } of bars) {
    if (Number(args[0]) > 903) expect(alpha).toBe(0.32);
    if (Number(args[0]) < 897) expect(alpha).toBe(1);
  }
  expect(bars.some(({ alpha }) => alpha === 0.32)).toBe(true);
});

test('from far away a turn is a handful of rectangles, and no word is measured', () => {
  const calls = painted({ scale: new TimeScale(0, 1000, 1000) });
  expect(paintedTexts(calls)).not.toContain('One');
  expect(calls.filter(({ fill }) => fill === 'voice 1').length).toBeLessThan(12);
});

test('the block of one of several is one lane without a buffer', () => {
  const calls = painted({ isOnly: false });
  expect(paintedTexts(calls)).not.toContain('1 s');
  expect(paintedTexts(calls)).toEqual(expect.arrayContaining(['One', 'two']));
  expect(rectsOf(calls, 'wait hatching')).toHaveLength(2);
});

test('ticks that touch are one bar', () => {
  const events = [1, 2, 3, 7, 9].map(
    (atMs) => ({ kind: 'audio', atMs, context: '', turn: 1, amount: 1 }) as const,
  );
  const ticks = rectsOf(painted({ turns: [], events, isOnly: false }), 'voice 1');
  expect(ticks).toEqual([
    [1, 27, 3, 6],
    [7, 27, 1, 6],
    [9, 27, 1, 6],
  ]);
});

describe('findings in the sound', () => {
  /** The ends of the wavy lines, and the signs, by colour. */
  function found(rest: Parameters<typeof timelineWorld>[0]) {
    vi.stubGlobal('Path2D', class {});
    const scale = new TimeScale(0, 1, 2000);
    const { lane } = timelineWorld({ scale, ...rest });
    const { to, painted: calls } = recordingCanvas();
    paintMarks({ ...namedBrushes, to, scale }, lane);
    const lines = calls.filter(({ name }) => name === 'lineTo');
    const signs = calls.filter(({ name }) => name === 'translate');
    return {
      lines: lines.map(({ args, stroke }) => [args[0], args[1], stroke]),
      signs: signs.map(({ args }) => args[0]),
    };
  }

  test('have a wavy line under the wave in the colour of their severity, and a sign at their start', () => {
    const findings = [soundFinding([0.1, 0.109]), soundFinding([0.3, 0.3], { severity: 'violation' })];
    const { lines, signs } = found({ findings });
    expect(lines).toEqual([
      [500, 178, 'waiting'],
      [503, 175, 'waiting'],
      [506, 178, 'waiting'],
      [509, 175, 'waiting'],
      [700, 178, 'failed'],
    ]);
    expect(signs).toEqual([500.5, 700.5]);
  });

  test('that were never heard have their sign where the audio frame is', () => {
    const cut = { heardToMs: 800, silencedMs: 800, played: [], underruns: [] };
    const findings = [soundFinding([0.7, 0.8])];
    for (const isOnly of [false, true])
      expect(found({ turns: [twoChunks(cut)], findings, isOnly }).signs).toEqual([1000.5]);
  });
});

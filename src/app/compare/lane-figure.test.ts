import { expect, test } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { Mark } from '#session/views.ts';
import { laneFigure } from './lane-figure.ts';

const mark = (kind: Mark['kind'], atMs: number): Mark => ({ kind, atMs, context: '', turn: 1, amount: 1 });

test('everything is told from the first text on, with the wait and the underruns as silence', () => {
  const turn = turnView({
    state: 'ended',
    firstTextMs: 1000,
    endedMs: 1400,
    heardFromMs: 1200,
    heardToMs: 2500,
    wait: [
      { name: 'server', ms: 150 },
      { name: 'leadingSilence', ms: 70 },
    ],
    underruns: [{ atMs: 1700, atSample: 9, lengthMs: 30 }],
    chunks: [chunkView({ text: 'Hello.', startedMs: 1020, completedMs: 1390, lastAudioMs: 1380 })],
  });
  const marks = [mark('text', 1000), mark('flush', 1001), mark('audio', 1100), mark('audio', 1380)];
  expect(laneFigure([turn], marks, 9000)).toEqual({
    texts: [0],
    flushes: [1],
    audio: [100, 380],
    made: [{ fromMs: 20, toMs: 390, text: 'Hello.' }],
    heard: [{ fromMs: 200, toMs: 1500 }],
    silences: [
      { fromMs: 0, toMs: 220 },
      { fromMs: 700, toMs: 730 },
    ],
    endMs: 1500,
  });
});

test('what lasts still is drawn up to now', () => {
  const waiting = laneFigure([turnView({ firstTextMs: 100 })], [], 350);
  expect(waiting.silences).toEqual([{ fromMs: 0, toMs: 250 }]);
  const playing = laneFigure(
    [turnView({ firstTextMs: 100, heardFromMs: 200, chunks: [chunkView({ firstAudioMs: 150 })] })],
    [],
    600,
  );
  expect(playing.heard).toEqual([{ fromMs: 100, toMs: 500 }]);
  expect(playing.made).toEqual([{ fromMs: 50, toMs: 500, text: '' }]);
});

test('a run that came to nothing draws nothing', () => {
  expect(laneFigure([], [mark('connected', 5)], 100).endMs).toBe(0);
  expect(laneFigure([turnView({ state: 'lost', endedMs: 40, firstTextMs: 10 })], [], 900).silences).toEqual(
    [],
  );
});

import { expect, it } from 'vitest';
import { chunkView, replayView, turnReport, turnView } from '#session/testing/views.ts';
import type { PlayerView } from '#session/views.ts';
import { StudioSessions } from '../../session-client/studio-sessions.ts';
import { FakeWorker, fakePage } from '../../session-client/testing/page.ts';
import { Lights } from './lights.ts';
import { partsOf, wordsOf } from './words.ts';

const RATE = 1000;
const TEXT = 'one two';
const WORDS = [
  { word: 'one', startMs: 0, endMs: 500, charStart: 0, charEnd: 3 },
  { word: 'two', startMs: 500, endMs: 1000, charStart: 4, charEnd: 7 },
];
const TURN = turnView({
  id: 1,
  sampleRate: RATE,
  samples: 1000,
  chunks: [chunkView({ text: TEXT, words: WORDS, samples: 1000 })],
});

/** The player at a sample of the turn, paused there. */
const playerAt = (sample: number): PlayerView => ({
  state: 'buffering',
  transport: 'message',
  sampleRate: RATE,
  repeating: false,
  isPaused: false,
  isStill: false,
  tracks: [
    {
      context: TURN.context,
      state: 'buffering',
      turn: TURN.id,
      sample,
      atMs: 0,
      epoch: 0,
      bufferedSeconds: 1,
      peak: 0,
      targetMs: 0,
      targetReason: '',
    },
  ],
});

it('darkens the words of a replay that begins another run', () => {
  const { paintFrame } = fakePage();
  const sessions = new StudioSessions(new MessageChannel().port1);
  const worker = FakeWorker.last;
  worker?.report({ type: 'replay', replay: replayView() });
  const lights = new Lights(sessions.shown.getState().client);
  const stop = lights.start();
  const parts = partsOf({ text: TEXT, sampleRate: RATE, chunks: TURN.chunks });
  const wordNodes = WORDS.map(() => ({ dataset: {} }) as unknown as HTMLElement);
  const shown = () => wordNodes.map(({ dataset }) => dataset.state);
  lights.show({
    turn: 1,
    sampleRate: RATE,
    words: wordsOf(parts),
    wordNodes,
    firstWord: 0,
    onMoved: () => undefined,
  });

  worker?.report({ type: 'update', run: 1, update: { turns: [turnReport(TURN)], player: playerAt(700) } });
  paintFrame();
  expect(shown()).toEqual(['spoken', 'current']);

  worker?.report({ type: 'replay', replay: replayView({ run: 2 }) });
  worker?.report({ type: 'update', run: 2, update: { turns: [turnReport(TURN)], player: playerAt(0) } });
  paintFrame();
  paintFrame();
  expect(shown()).toEqual(['current', 'pending']);
  stop();
});

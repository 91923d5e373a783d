import { expect, it } from 'vitest';
import { NO_IMPAIRMENTS } from '#session/replay/impairments.ts';
import type { ReplayView } from '#session/replay/replay-view.ts';
import { chunkView, turnReport, turnView } from '#session/testing/views.ts';
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

const replay = (run: number): ReplayView => ({
  recording: { id: 'r1', name: 'One', endpoint: 'murmr', address: '', durationUs: 1_000_000 },
  run,
  state: 'playing',
  isPaused: false,
  followed: null,
  positionMs: 0,
  atMs: 0,
  speed: 1,
  impairments: NO_IMPAIRMENTS,
  index: -1,
  missing: 0,
  problem: null,
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
  worker?.report({ type: 'replay', replay: replay(1) });
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

  worker?.report({ type: 'replay', replay: replay(2) });
  worker?.report({ type: 'update', run: 2, update: { turns: [turnReport(TURN)], player: playerAt(0) } });
  paintFrame();
  paintFrame();
  expect(shown()).toEqual(['current', 'pending']);
  stop();
});

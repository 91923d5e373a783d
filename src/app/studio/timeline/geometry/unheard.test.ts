import { expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { Mark } from '#session/views.ts';
import { atEarliest } from '../../../session-client/timeline/earliest.ts';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { displayList, type LaneItem } from './display-list.ts';
import { stackedBlocks } from './lane-shape.ts';
import { describeItem, tableRows } from './wording.ts';

/** A client received two seconds of audio at 1000 ms. */
const turn = turnView({
  state: 'ended',
  firstTextMs: 900,
  sampleRate: 16_000,
  samples: 32_000,
  chunks: [chunkView({ firstAudioMs: 1000, lastAudioMs: 1000, audioFrames: 1, samples: 32_000 })],
});
const NOW_MS = 1500;

function timeline() {
  const lanes = new TurnLanes();
  lanes.update(atEarliest([turn]), NOW_MS);
  const marks = new LaneStore();
  const audio: Mark = { kind: 'audio', atMs: 1000, context: '', turn: 1, amount: 2000 };
  marks.append([audio]);
  const rows = [{ id: '', name: 'Marta', hue: 1 }];
  const { blocks } = stackedBlocks(rows, () => true, true);
  const scale = new TimeScale(0, 10, 1000);
  const view = { viewTop: 0, viewHeight: 1000, nowMs: NOW_MS, listening: 'inTurn', pauseMs: 0 } as const;
  return { lanes, marks, rows, list: displayList({ lanes, marks, blocks, scale, ...view, selected: null }) };
}

it('the audio of a client is shown from its first frame on, what is ahead of real time apart', () => {
  const { list } = timeline();
  expect(list.lanes[0]?.waves.map(({ fromMs, toMs, isHeard }) => [fromMs, toMs, isHeard])).toEqual([
    [1000, 1500, true],
    [1500, 3000, false],
  ]);
});

it('the buffer of a client is the least that it can have', () => {
  const { lanes, marks } = timeline();
  const depth: LaneItem = { kind: 'depth', context: '', fromMs: 0, toMs: 1 };
  expect(describeItem(depth, NOW_MS, { lanes, marks }, [])).toBe(
    'The client is at least 1.50 s ahead of real time',
  );
});

it('nothing of a client is called heard', () => {
  const { lanes, marks, rows, list } = timeline();
  const words = [
    ...(list.lanes[0]?.waves ?? []).map((wave) => describeItem(wave, NOW_MS, { lanes, marks }, [])),
    ...tableRows(rows, { lanes, marks }, 100, []).rows.map(({ what, detail }) => `${what} ${detail}`),
  ];
  expect(words.join()).toContain('received by the client');
  expect(words.join()).not.toMatch(/hear/i);
});

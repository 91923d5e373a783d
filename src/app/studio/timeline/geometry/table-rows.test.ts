import { expect, test } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import { soundFinding } from '../../../recordings-client/testing/sound-finding.ts';
import { atEarliest } from '../../../session-client/timeline/earliest.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { timelineWorld, twoChunkMarks } from '../testing/turns.ts';
import { displayList } from './display-list.ts';
import { itemAt } from './hit.ts';
import { tableRows } from './table-rows.ts';

const ofConnection = { context: null, turn: null, amount: 0 };
const events = [
  ...twoChunkMarks,
  { kind: 'fault', atMs: 1900, ...ofConnection, text: 'odd-byte@2' },
  { kind: 'fault', atMs: 1900, ...ofConnection, text: 'reset@2' },
  { kind: 'disconnected', atMs: 2000, ...ofConnection },
] as const;

const rowsOf = (most = 100) =>
  tableRows([{ id: '', name: 'Marta', hue: 2 }], { ...timelineWorld({ events }), problems: [] }, most);

test('the table has the items of every lane in the order of time', () => {
  expect(rowsOf().rows.map(({ what, fromMs, toMs, detail }) => [what, fromMs, toMs, detail])).toEqual([
    ['text sent', 0, 100, '2 frames, 15 characters'],
    ['wait', 0, 400, 'first text to first audible'],
    ['chunk 0', 150, 350, 'One two.'],
    ['audio received', 200, 300, '2 audio frames of chunk 0, 0.60 s'],
    ['prebuffer target', 200, null, '160 ms'],
    ['heard', 400, 1500, '1.00 s of audio'],
    ['buffer', 400, null, '600 ms when hearing began'],
    ['chunk 1', 700, 1090, 'Three.'],
    ['audio received', 1000, 1080, '2 audio frames of chunk 1, 0.40 s'],
    ['underrun', 1000, 1100, 'silence within the turn'],
    ['fault', 1900, null, 'odd-byte@2, reset@2'],
    ['disconnected', 2000, null, ''],
  ]);
});

test('the table has each finding in the sound once, with its rule and message', () => {
  const findings = [soundFinding([0.1, 0.25]), soundFinding([0.7, 0.7], { severity: 'violation' })];
  const { rows } = tableRows(
    [{ id: '', name: 'Marta', hue: 2 }],
    { ...timelineWorld({ findings }), problems: [] },
    100,
  );
  const message = 'expected speech that goes on, got the last 0.10 s again';
  expect(rows.filter(({ what }) => what === 'finding')).toMatchObject([
    { fromMs: 500, toMs: 650, detail: `Sound repeats at a seam (warning): ${message}`, speaker: 'Marta' },
    { fromMs: 1200, toMs: 1200, detail: `Sound repeats at a seam (violation): ${message}` },
  ]);
});

test('the table of a long session has the newest items', () => {
  const { rows, hasMore } = rowsOf(3);
  expect(rows.map(({ what }) => what)).toEqual(['underrun', 'fault', 'disconnected']);
  expect(hasMore).toBe(true);
});

test('a barge-in is one sign and one row of its speaker, with the unheard audio of all turns that it ended', () => {
  const atMs = 2000;
  const anna = { context: 'anna', state: 'cancelled', sampleRate: 1000 } as const;
  // Cancelled while heard, while queued, and before its audio; then a turn of a speaker who goes on.
  const turns = [
    turnView({ ...anna, samples: 500, endedMs: atMs }),
    turnView({ ...anna, id: 2, state: 'ended', samples: 1500, silencedMs: atMs }),
    turnView({ ...anna, id: 3, sampleRate: null }),
    turnView({ id: 4, context: 'ben', state: 'ended', sampleRate: 1000, samples: 900 }),
  ];
  const cancels = [1, 2, 3].map(
    (turn) => ({ kind: 'cancel', atMs, context: 'anna', turn, amount: 0 }) as const,
  );
  const scale = new TimeScale(0, 10, 1000);
  const ids = ['anna', 'ben'];
  const world = timelineWorld({ turns, events: cancels, ids, scale, nowMs: 3000 });
  const signs = world.list.lanes.map((lane) => lane.marks.find(({ kind }) => kind === 'cancel')?.pixels);
  expect(signs).toEqual([[200], []]);
  const item = itemAt(world.list, scale.toPx(atMs + 30), 30, []);
  expect(item?.words).toBe('Cancelled: 2.00 s received and not heard');
  const { rows } = tableRows([{ id: 'anna', name: 'Anna', hue: 1 }], { ...world, problems: [] }, 100);
  expect(rows.filter(({ what }) => what === 'cancel')).toMatchObject([{ fromMs: atMs, detail: '3 turns' }]);
});

test('nothing of a client is called heard, and its buffer is the least that it can have', () => {
  const nowMs = 1500;
  const samples = 32_000;
  // Two seconds of audio were received at 1000 ms.
  const turn = turnView({
    state: 'ended',
    firstTextMs: 900,
    sampleRate: 16_000,
    samples,
    chunks: [chunkView({ firstAudioMs: 1000, lastAudioMs: 1000, audioFrames: 1, samples })],
  });
  const audio = { kind: 'audio', atMs: 1000, context: '', turn: 1, amount: 2000 } as const;
  const { list: here, marks } = timelineWorld({ turns: [], events: [audio], nowMs });
  const lanes = new TurnLanes();
  lanes.update(atEarliest([turn]), nowMs);
  const list = displayList({ ...here.view, lanes });
  const [lane] = list.lanes;
  expect(lane?.waves.map(({ fromMs, toMs, isHeard }) => [fromMs, toMs, isHeard])).toEqual([
    [1000, 1500, true],
    [1500, 3000, false],
  ]);
  const wordsIn = (strip: 'heard' | 'buffer', ms: number) =>
    itemAt(list, ms, (lane?.block.strips[strip]?.top ?? 0) + 10, [])?.words;
  const { rows } = tableRows([{ id: '', name: 'Marta', hue: 1 }], { lanes, marks, problems: [] }, 100);
  const words = [
    ...[1250, 2000].map((ms) => wordsIn('heard', ms)),
    ...rows.map(({ what, detail }) => `${what} ${detail}`),
  ].join();
  expect(words).toContain('received by the client');
  expect(words).not.toMatch(/hear/i);
  expect(wordsIn('buffer', nowMs)).toBe('The client is at least 1.50 s ahead of real time');
});

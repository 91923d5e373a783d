import { describe, expect, test } from 'vitest';
import { soundFinding } from '../../../recordings-client/testing/sound-finding.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { timelineWorld, twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { itemAt } from './hit.ts';
import type { StripName } from './lane-shape.ts';

const turns = [
  twoChunks(),
  twoChunks({
    id: 2,
    state: 'cancelled',
    firstTextMs: 2000,
    samples: 900,
    heardFromMs: 2200,
    heardToMs: 2500,
    silencedMs: 2500,
    played: [{ sample: 0, count: 300, atMs: 2200 }],
    underruns: [],
    chunks: [],
  }),
];
const events = [
  ...twoChunkMarks,
  { kind: 'error', atMs: 3000, context: '', turn: null, amount: 0, frame: 20 },
  { kind: 'disconnected', atMs: 3100, context: null, turn: null, amount: 0 },
] as const;
const scale = new TimeScale(0, 2, 2000);

const problem = {
  id: 1,
  turn: null,
  atMs: 3010,
  severity: 'error',
  title: 'The server refused a message',
  detail: 'Too long.',
  remedy: null,
  times: 1,
} as const;

/** The item in the middle of a strip. */
function found(strip: StripName, ms: number, isOnly = true) {
  const { list, lane } = timelineWorld({ turns, events, scale, isOnly });
  const of = lane.block.strips[strip];
  return of && itemAt(list, scale.toPx(ms), of.top + of.height / 2, [problem]);
}

test.each([
  ['text', 3, 'Text sent: 8 characters', { kind: 'frame', frame: 3, turn: 1, chunk: null }],
  ['text', 103, 'Flush', { kind: 'frame', frame: 5, turn: 1, chunk: null }],
  ['audio', 305, 'Audio frame: 300 ms', { kind: 'frame', frame: 9, turn: 1, chunk: null }],
  ['chunks', 250, 'Chunk 0: One two.', { kind: 'chunk', turn: 1, chunk: 0 }],
  ['heard', 200, 'Waiting for the first sound', { kind: 'turn', turn: 1 }],
  [
    'heard',
    750,
    '“two”, its place from the vendor, 0.35 s of the audio clock',
    { kind: 'word', turn: 1, chunk: 0, word: 1 },
  ],
  ['heard', 650, 'Heard, 0.25 s of the audio clock', { kind: 'turn', turn: 1 }],
  ['heard', 1050, 'Underrun 100 ms: silence within the turn', { kind: 'underrun', turn: 1, underrun: 0 }],
  ['buffer', 1050, 'Underrun 100 ms: silence within the turn', { kind: 'underrun', turn: 1, underrun: 0 }],
  ['buffer', 500, '0.50 s in the buffer, target 160 ms', null],
  ['heard', 2600, 'Received and never heard: 0.60 s', { kind: 'turn', turn: 2 }],
  [
    'audio',
    3005,
    'The server refused a message Too long.',
    { kind: 'frame', frame: 20, turn: null, chunk: null },
  ],
  ['heard', 3105, 'Connection ended', null],
] as const)('in the strip %s at %d ms is “%s”', (strip, ms, words, selected) => {
  expect(found(strip, ms)).toMatchObject({ words, selects: selected });
});

test('an empty place has no item', () => {
  for (const strip of ['text', 'chunks', 'audio', 'heard'] as const) {
    expect(found(strip, 3900)).toBeNull();
    expect(found(strip, 9000)).toBeNull();
  }
});

test('in the lane of one of several, signs are hit at every height, and chunks before the text frames over them', () => {
  expect(found('heard', 101, false)).toMatchObject({ words: 'Flush' });
  expect(found('chunks', 250, false)).toMatchObject({ words: 'Chunk 0: One two.' });
  expect(found('chunks', 3, false)).toMatchObject({ words: 'Text sent: 8 characters' });
});

test('a word is hit where words are too narrow to be shown', () => {
  const far = new TimeScale(0, 100, 100);
  const { list, lane } = timelineWorld({ scale: far });
  expect(lane.words).toEqual([]);
  expect(itemAt(list, far.toPx(750), 150, [])?.selects).toMatchObject({ kind: 'word', word: 1 });
});

test('a word that is still to be heard is described as such and does not play', () => {
  const turn = twoChunks({ heardToMs: null, played: [{ sample: 0, count: 1, atMs: 400 }], underruns: [] });
  const live = timelineWorld({ turns: [turn], nowMs: 500 });
  const item = itemAt(live.list, 750, 150, []);
  expect(item).toMatchObject({ words: '“two”, its place from the vendor, still to be heard', plays: null });
});

test('lost audio comes before the word that it interrupts', () => {
  const played = [{ sample: 0, count: 400, atMs: 400 }];
  const cut = twoChunks({ state: 'cancelled', heardToMs: 800, silencedMs: 800, played, underruns: [] });
  const { list } = timelineWorld({ turns: [cut] });
  expect(itemAt(list, 750, 150, [])?.selects).toMatchObject({ kind: 'word', word: 1 });
  expect(itemAt(list, 850, 150, [])?.words).toBe('Received and never heard: 0.60 s');
});

describe('a press plays', () => {
  const from = (strip: StripName, ms: number) => found(strip, ms)?.plays;
  test('a word from its start', () => expect(from('heard', 780)).toEqual({ turn: 1, sample: 300 }));
  test('between words from that sample', () => expect(from('heard', 1200)).toEqual({ turn: 1, sample: 700 }));
  test('audio that was never heard from where it would have been', () =>
    expect(from('heard', 2700)).toEqual({ turn: 2, sample: 500 }));
  test.each([
    ['heard', 100],
    ['heard', 1050],
    ['chunks', 250],
    ['buffer', 500],
  ] as const)('nothing in %s at %d ms', (strip, ms) => expect(from(strip, ms)).toBeNull());
});

test('the sign of a finding is hit before the words there, shows its frame, and plays from half a second before', () => {
  const findings = [soundFinding([0.2, 0.3], { frame: 4 }), soundFinding([0.9, 0.9], { frame: 7 })];
  const { list, lane } = timelineWorld({ findings });
  const { top } = lane.block.strips.heard;
  for (const ms of [595, 600, 605])
    expect(itemAt(list, ms, top + 10, [])).toEqual({
      words: 'Sound repeats at a seam (warning): expected speech that goes on, got the last 0.10 s again',
      selects: { kind: 'frame', frame: 7, turn: 1, chunk: null },
      plays: { turn: 1, sample: 0 },
    });
  expect(itemAt(list, 1400, top + 10, [])).toMatchObject({ selects: { frame: 10 }, plays: { sample: 400 } });
  // Behind it, a press plays the word or the place under the pointer.
  expect(itemAt(list, 610, top + 10, [])?.plays).toEqual({ turn: 1, sample: 210 });
  expect(itemAt(list, 600, lane.block.strips.audio.top + 10, [])).toBeNull();
});

import { beforeAll, describe, expect, test } from 'vitest';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { twoChunkMarks, twoChunks } from '../testing/turns.ts';
import { describe as describeHit } from './describe.ts';
import { type HitWorld, hitAt, type Point, playFrom, selectionOf } from './hit.ts';

const world: HitWorld = { lanes: new TurnLanes(), marks: new LaneStore(), scale: new TimeScale(0, 2, 1000) };
beforeAll(() => {
  world.lanes.update([
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
  ]);
  world.marks.append(twoChunkMarks);
  world.marks.append([
    { kind: 'error', atMs: 3000, context: '', turn: null, amount: 0, frame: 20 },
    { kind: 'disconnected', atMs: 3100, context: null, turn: null, amount: 0 },
  ]);
});

const problem = {
  id: 1,
  turn: null,
  atMs: 3010,
  severity: 'error',
  title: 'The server refused a message',
  detail: 'Too long.',
  remedy: null,
} as const;

const at = (strip: Point['strip'], ms: number, isOpen = true): Point => ({ context: '', strip, isOpen, ms });

test.each([
  ['text', 3, 'Text sent: 8 characters', { kind: 'frame', frame: 3, turn: 1, chunk: null }],
  ['text', 103, 'Flush', { kind: 'frame', frame: 5, turn: 1, chunk: null }],
  ['audio', 305, 'Audio frame: 300 ms', { kind: 'frame', frame: 9, turn: 1, chunk: null }],
  ['chunks', 250, 'Chunk 0: One two.', { kind: 'chunk', turn: 1, chunk: 0 }],
  ['heard', 200, 'Waiting for the first sound', { kind: 'turn', turn: 1 }],
  ['heard', 750, '“two”, 0.35 s of the audio clock', { kind: 'word', turn: 1, chunk: 0, word: 1 }],
  ['heard', 650, 'Heard, 0.25 s of the audio clock', { kind: 'turn', turn: 1 }],
  ['heard', 1050, 'Underrun 100 ms: silence within the turn', { kind: 'underrun', turn: 1, underrun: 0 }],
  ['buffer', 1050, 'Underrun 100 ms: silence within the turn', { kind: 'underrun', turn: 1, underrun: 0 }],
  ['buffer', 500, '0.50 s in the buffer, floor 160 ms', null],
  ['heard', 2600, 'Received and never heard: 0.60 s', { kind: 'turn', turn: 2 }],
  [
    'audio',
    3005,
    'The server refused a message Too long.',
    { kind: 'frame', frame: 20, turn: null, chunk: null },
  ],
  ['heard', 3105, 'Connection ended', null],
] as const)('in the lane %s at %d ms lies “%s”', (strip, ms, words, selected) => {
  const point = at(strip, ms);
  const hit = hitAt(point, world);
  expect(hit && describeHit(hit, point, world, [problem])).toBe(words);
  expect(hit && selectionOf(hit)).toEqual(selected);
});

test('where nothing is, nothing lies', () => {
  for (const strip of ['text', 'chunks', 'audio', 'heard'] as const) {
    expect(hitAt(at(strip, 9000), world)).toBeNull();
  }
});

test('in a speaker’s one lane signs are met at every height', () => {
  expect(hitAt(at('heard', 101, false), world)).toMatchObject({ kind: 'mark', mark: { kind: 'flush' } });
});

describe('a press plays', () => {
  const from = (strip: Point['strip'], ms: number) => {
    const hit = hitAt(at(strip, ms), world);
    return hit && playFrom(hit, ms);
  };
  test('a word from its start', () => expect(from('heard', 780)).toEqual({ turn: 1, sample: 300 }));
  test('between words from there', () => expect(from('heard', 1200)).toEqual({ turn: 1, sample: 700 }));
  test('what was never heard from where it would have been', () =>
    expect(from('heard', 2700)).toEqual({ turn: 2, sample: 500 }));
  test.each([
    ['heard', 100],
    ['heard', 1050],
    ['chunks', 250],
    ['buffer', 500],
  ] as const)('nothing in %s at %d ms', (strip, ms) => expect(from(strip, ms)).toBeNull());
});

import { describe, expect, test } from 'vitest';
import type { Selected } from '../../../session-client/selection.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { heardTurn, oneChunk, queuedTurn, timelineWorld, twoChunkMarks } from '../testing/turns.ts';

const spans = (items: readonly { fromMs: number; toMs: number }[]) =>
  items.map(({ fromMs, toMs }) => [fromMs, toMs]);

describe('audio that is still to be heard', () => {
  const speaking = queuedTurn(1, { heardFromMs: 1000, played: [{ sample: 0, count: 1, atMs: 1000 }] });
  const silenced = queuedTurn(4, { held: true, silencedMs: 900 });

  test.each([
    [
      'inTurn',
      [
        [1400, 2000],
        [2250, 3250],
        [3500, 4500],
      ],
    ],
    [
      'together',
      [
        [1400, 2000],
        [1400, 2400],
        [1400, 2400],
      ],
    ],
  ] as const)('is expected %s, without a turn that was silenced before', (listening, expected) => {
    const turns = [speaking, queuedTurn(2), queuedTurn(3), silenced];
    const { lane } = timelineWorld({ turns, ids: ['anna'], nowMs: 1400, listening, pauseMs: 250 });
    expect(spans(lane.waves.filter(({ isHeard }) => !isHeard))).toEqual(expected);
  });

  test('goes on now where two turns have begun, also in turn', () => {
    const turns = [speaking, { ...speaking, id: 2 }];
    const { lane } = timelineWorld({ turns, ids: ['anna'], nowMs: 1400 });
    expect(spans(lane.waves.filter(({ isHeard }) => !isHeard))).toEqual([
      [1400, 2000],
      [1400, 2000],
    ]);
  });

  test('has a line from its finished chunk to the moment it will be heard', () => {
    const { lane } = timelineWorld({ turns: [queuedTurn(1)], ids: ['anna'], nowMs: 1000 });
    expect(lane.queued).toEqual([{ fromMs: 400, toMs: 1000 }]);
    expect(lane.waves).toMatchObject([{ fromMs: 1000, toMs: 2000, fromSample: 0, isHeard: false }]);
  });
});

describe('the items of a lane', () => {
  test('have the first wait once, and none while another speaker is heard', () => {
    const turns = [heardTurn(1, 500, 1500), heardTurn(2, 1750, 2750, { context: 'ben' })];
    const { list } = timelineWorld({ turns, ids: ['anna', 'ben'] });
    expect(list.lanes.map(({ waits }) => spans(waits))).toEqual([[[0, 500]], []]);
  });

  test('have words after an underrun later by its length', () => {
    const words = [
      { word: 'One', startMs: 0, endMs: 400, charStart: 0, charEnd: 3 },
      { word: 'two', startMs: 500, endMs: 900, charStart: 4, charEnd: 7 },
    ];
    const turn = heardTurn(1, 1000, 2300, {
      underruns: [{ atMs: 1450, atSample: 450, lengthMs: 300 }],
      played: [
        { sample: 0, count: 450, atMs: 1000 },
        { sample: 450, count: 550, atMs: 1750 },
      ],
      chunks: [oneChunk({ heardFromMs: 1000, heardToMs: 2300, words })],
    });
    const { words: found, waves, underruns } = timelineWorld({ turns: [turn], ids: ['anna'] }).lane;
    expect(found.map(({ text, fromMs, toMs }) => [text, fromMs, toMs])).toEqual([
      ['One', 1000, 1400],
      ['two', 1800, 2200],
    ]);
    expect(underruns).toMatchObject([{ fromMs: 1450, toMs: 1750, underrun: 0 }]);
    expect(waves.map(({ fromMs, toMs, fromSample }) => [fromMs, toMs, fromSample])).toEqual([
      [1000, 1450, 0],
      [1750, 2300, 450],
    ]);
  });

  test('have audio lost to a barge-in until the next turn is heard', () => {
    const cut = heardTurn(1, 1000, 1400, { state: 'cancelled', silencedMs: 1400 });
    const { lane, lanes } = timelineWorld({ turns: [cut, heardTurn(2, 1700, 2700)], ids: ['anna'] });
    expect(spans(lane.lost)).toEqual([[1400, 1700]]);
    expect(spans(lanes.lane('anna').lost)).toEqual([[1400, 2000]]);
  });

  test('have no words that are too narrow to read', () => {
    const words = Array.from({ length: 50 }, (_, at) => ({
      word: 'a',
      startMs: at * 20,
      endMs: at * 20 + 20,
      charStart: at,
      charEnd: at + 1,
    }));
    const turns = [heardTurn(1, 0, 1000, { chunks: [oneChunk({ words })] })];
    expect(timelineWorld({ turns, ids: ['anna'] }).lane.words).toHaveLength(50);
    const far = new TimeScale(0, 10, 1000);
    expect(timelineWorld({ turns, ids: ['anna'], scale: far }).lane.words).toEqual([]);
  });
});

const frame = (number: number | null): Selected => ({ kind: 'frame', frame: number, turn: 1, chunk: 0 });

test.each<[Selected, unknown[]]>([
  [
    { kind: 'turn', turn: 1 },
    [
      ['heard', 400, 1500],
      ['text', 0, 100],
    ],
  ],
  [
    { kind: 'chunk', turn: 1, chunk: 1 },
    [
      ['chunks', 700, 1090],
      ['heard', 1100, 1500],
    ],
  ],
  [{ kind: 'word', turn: 1, chunk: 0, word: 1 }, [['heard', 700, 900]]],
  [
    { kind: 'underrun', turn: 1, underrun: 0 },
    [
      ['heard', 1000, 1100],
      ['buffer', 1000, 1100],
    ],
  ],
  [frame(9), [['audio', 300, 300]]],
  [frame(4), [['text', 100, 100]]],
  // The number of a frame counts on over the recordings of a session.
  [frame(103), [['text', 2000, 2000]]],
  // A frame without a mark, such as one of word timings, is shown by its chunk.
  [
    frame(10),
    [
      ['chunks', 150, 350],
      ['heard', 400, 1000],
    ],
  ],
  [{ kind: 'frame', frame: null, turn: null, chunk: null }, []],
  [{ kind: 'word', turn: 1, chunk: 1, word: 0 }, []],
  [{ kind: 'underrun', turn: 1, underrun: 4 }, []],
  [{ kind: 'turn', turn: 9 }, []],
])('the selection %j has its places', (selected, places) => {
  const later = { kind: 'text', atMs: 2000, context: '', turn: 2, amount: 1, frame: 103 } as const;
  const { list } = timelineWorld({ selected, events: [...twoChunkMarks, later] });
  const found = list.selected.flatMap(({ strips, fromMs, toMs }) =>
    strips.map((strip) => [strip, fromMs, toMs]),
  );
  expect(found).toEqual(places);
});

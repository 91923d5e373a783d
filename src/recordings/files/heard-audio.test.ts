import { describe, expect, it } from 'vitest';
import type { HeardRecord } from '../format/player-entry.ts';
import { HeardAudioCollector } from './heard-audio.ts';
import { audioEntry, playerEntry, RATE } from './testing/audio-entries.ts';
import { entriesOf } from './testing/recordings.ts';

type Loose = Parameters<typeof entriesOf>[0][number];
type Place = { turn?: number; context?: string };

const audio = (of: number[], place: Place = {}): Loose => audioEntry({ of, ...place });

const heard = (spans: [sample: number, count: number][], place: Place = {}, change?: Partial<HeardRecord>) =>
  playerEntry(
    'heard',
    {
      sampleRate: RATE,
      samples: 10,
      spans: spans.map(([sample, count], at) => ({ sample, count, atUs: at * 1000 + (place.turn ?? 1) })),
      dropped: null,
      ...change,
    },
    place,
  );

const underrun = (sample: number, samples: number, end = 'resumed') =>
  playerEntry('underrun', { sampleRate: RATE, sample, atUs: 0, samples, end });

function collected(entries: readonly Loose[], limits?: { samples: number; pieces: number }) {
  const collector = new HeardAudioCollector('kugel-multi', limits);
  for (const entry of entriesOf(entries)) collector.add(entry);
  const turns = () => collector.turns().map(({ turn, samples }) => [turn, [...samples]]);
  return { collector, turns };
}

describe('heard audio', () => {
  it('is what was received, where all of it was heard', () => {
    const { collector } = collected([audio([1, 2, 3]), audio([4, 5]), heard([[0, 5]])]);
    expect(collector.turns()).toEqual([
      { turn: 1, context: 'a', sampleRate: RATE, samples: Int16Array.of(1, 2, 3, 4, 5) },
    ]);
  });

  const dropped = { sample: 2, atUs: 9, why: 'cancel' as const };
  const cut = heard([[0, 2]], {}, { samples: 3, dropped });
  const both: [number, number][] = [
    [0, 2],
    [2, 2],
  ];
  const overlapping: [number, number][] = [
    [0, 3],
    [2, 2],
  ];
  it.each<[string, Loose[], number[]]>([
    [
      'ends where the turn was cut off, without what came too late',
      [audio([1, 2, 3]), cut, audio([4, 5])],
      [1, 2],
    ],
    [
      'has the silence of underruns at their places',
      [audio([1, 2, 3, 4]), underrun(2, 3), underrun(4, 2, 'silenced'), heard(both)],
      [1, 2, 0, 0, 0, 3, 4],
    ],
    ['has twice what was heard twice', [audio([1, 2, 3, 4]), heard(overlapping)], [1, 2, 3, 3, 4]],
    [
      'uses the last record of a turn',
      [audio([1, 2]), heard([[0, 2]]), audio([3]), heard([[0, 3]])],
      [1, 2, 3],
    ],
    [
      'takes no more from a forged recording than was received',
      [audio([1, 2]), underrun(1, 2 ** 40), heard([[1, 2 ** 40]])],
      [2],
    ],
  ])('%s', (_, entries, samples) => {
    expect(collected(entries).turns()).toEqual([[1, samples]]);
  });

  it('contains turns and contexts in the order of hearing', () => {
    const { collector, turns } = collected([
      audio([1], { turn: 1 }),
      audio([9], { turn: 2, context: 'b' }),
      audio([2], { turn: 3 }),
      heard([[0, 1]], { turn: 3 }),
      heard([[0, 1]], { turn: 1 }),
      heard([[0, 1]], { turn: 2, context: 'b' }),
    ]);
    expect(turns()).toEqual([
      [1, [1]],
      [2, [9]],
      [3, [2]],
    ]);
    const contexts = collector.contexts();
    expect(contexts.map(({ turn, context, samples }) => [turn, context, ...samples])).toEqual([
      [null, 'a', 1, 2],
      [null, 'b', 9],
    ]);
  });

  it('leaves out turns without heard audio or without a record', () => {
    const { turns } = collected([
      audio([1]),
      audio([2], { turn: 2 }),
      heard([], { turn: 2 }),
      heard([[0, 1]], { turn: 3 }),
      heard([[0, 1]], { turn: 1 }, { sampleRate: null }),
    ]);
    expect(turns()).toEqual([]);
  });

  const often = (span: [sample: number, count: number]) =>
    heard(new Array<[number, number]>(10_000).fill(span));
  const minute = audio(new Array<number>(60 * RATE).fill(1));

  it.each([
    ['sound', [minute, often([0, 2 ** 40])]],
    ['silence', [audio([1]), underrun(0, 600 * 48_000), often([0, 0])]],
  ])('makes nothing of a forged recording with more %s than a file may hold', (_, forged) => {
    const { collector } = collected(forged);
    const refused =
      /more sound than one file may hold: more than 268,435,456 samples, as many as in 3\.1 hours at 24 kHz/;
    expect(() => collector.turns()).toThrow(refused);
    expect(() => collector.contexts()).toThrow(refused);
  });

  it('counts all turns of a context', () => {
    const samples = new Array<number>(65_536).fill(1);
    const twice = heard([
      [0, 65_536],
      [0, 65_536],
    ]);
    const entries = [audio(samples), audio([1], { turn: 2 }), twice, { ...twice, turn: 2 }];
    const { collector, turns } = collected(entries, { samples: 131_074, pieces: 2 });
    expect(turns().map(([, heardSamples]) => (heardSamples as number[]).length)).toEqual([131_072, 2]);
    expect(collector.contexts()[0]?.samples).toHaveLength(131_074);
    const more = collected(entries, { samples: 131_073, pieces: 2 });
    expect(more.turns()).toHaveLength(2);
    expect(() => more.collector.contexts()).toThrow(/more sound/);
  });
});

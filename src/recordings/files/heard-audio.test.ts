import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import type { HeardRecord } from '../format/player-entry.ts';
import { HeardAudioCollector } from './heard-audio.ts';
import { entriesOf } from './testing/recordings.ts';

const RATE = 24_000;

type Loose = Parameters<typeof entriesOf>[0][number];

const base = { gapUs: 1, connection: 1, turn: 1, context: 'a', chunk: null, audioMs: null };

const audio = (samples: number[], place: Partial<Loose> = {}): Loose => {
  const entry = { ...base, chunk: 0, ...place };
  return {
    ...entry,
    direction: 'in',
    opcode: 'text',
    kind: 'audio',
    payload: JSON.stringify({
      audio: encodeBase64(bytesFromSamples(Int16Array.from(samples))),
      enc: 'pcm_s16le',
      idx: 0,
      sr: RATE,
      samples: samples.length,
      chunk_id: 0,
      context_id: entry.context,
    }),
  };
};

const player = (kind: string, record: object, place: Partial<Loose> = {}): Loose => ({
  ...base,
  ...place,
  direction: 'player',
  opcode: 'none',
  kind,
  payload: JSON.stringify(record),
});

const heard = (
  spans: [sample: number, count: number][],
  place?: Partial<Loose>,
  change?: Partial<HeardRecord>,
) =>
  player(
    'heard',
    {
      sampleRate: RATE,
      samples: 10,
      spans: spans.map(([sample, count], at) => ({ sample, count, atUs: at * 1000 + (place?.turn ?? 1) })),
      dropped: null,
      ...change,
    },
    place,
  );

const underrun = (sample: number, samples: number, end = 'resumed') =>
  player('underrun', { sampleRate: RATE, sample, atUs: 0, samples, end });

function collected(entries: readonly Loose[]) {
  const collector = new HeardAudioCollector('kugel-multi');
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

  it('ends where the turn was cut off, and has nothing that came too late', () => {
    const dropped = { sample: 2, atUs: 9, why: 'cancel' as const };
    const { turns } = collected([
      audio([1, 2, 3]),
      heard([[0, 2]], {}, { samples: 3, dropped }),
      audio([4, 5]),
    ]);
    expect(turns()).toEqual([[1, [1, 2]]]);
  });

  it('has the silence of underruns at their places', () => {
    const { turns } = collected([
      audio([1, 2, 3, 4]),
      underrun(2, 3),
      underrun(4, 2, 'silenced'),
      heard([
        [0, 2],
        [2, 2],
      ]),
    ]);
    expect(turns()).toEqual([[1, [1, 2, 0, 0, 0, 3, 4]]]);
  });

  it('has twice what was heard twice', () => {
    const { turns } = collected([
      audio([1, 2, 3, 4]),
      heard([
        [0, 3],
        [2, 2],
      ]),
    ]);
    expect(turns()).toEqual([[1, [1, 2, 3, 3, 4]]]);
  });

  it('uses the last record of a turn', () => {
    const { turns } = collected([audio([1, 2]), heard([[0, 2]]), audio([3]), heard([[0, 3]])]);
    expect(turns()).toEqual([[1, [1, 2, 3]]]);
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

  it('takes no more from a forged recording than was received', () => {
    const { turns } = collected([audio([1, 2]), underrun(1, 2 ** 40), heard([[1, 2 ** 40]])]);
    expect(turns()).toEqual([[1, [2]]]);
  });

  const often = (span: [sample: number, count: number]) =>
    heard(new Array<[number, number]>(10_000).fill(span));
  const minute = audio(new Array<number>(60 * RATE).fill(1));

  it.each([
    ['sound', [minute, often([0, 2 ** 40])]],
    ['silence', [audio([1]), underrun(0, 600 * 48_000), often([0, 0])]],
  ])('makes nothing of a forged recording with more %s than a file may hold', (_, forged) => {
    const { collector } = collected(forged);
    const refused = /more sound than one file may hold: more than 268,435,456 samples/;
    expect(() => collector.turns()).toThrow(refused);
    expect(() => collector.contexts()).toThrow(refused);
  });

  it('counts all turns of a context', () => {
    const collector = new HeardAudioCollector('kugel-multi', { samples: 131_074, pieces: 2 });
    const samples = new Array<number>(65_536).fill(1);
    const twice = heard([
      [0, 65_536],
      [0, 65_536],
    ]);
    for (const entry of entriesOf([audio(samples), { ...audio([1]), turn: 2 }, twice, { ...twice, turn: 2 }]))
      collector.add(entry);
    expect(collector.turns().map((turn) => turn.samples.length)).toEqual([131_072, 2]);
    expect(collector.contexts()[0]?.samples).toHaveLength(131_074);
    const more = new HeardAudioCollector('kugel-multi', { samples: 131_073, pieces: 2 });
    for (const entry of entriesOf([audio(samples), { ...audio([1]), turn: 2 }, twice, { ...twice, turn: 2 }]))
      more.add(entry);
    expect(more.turns()).toHaveLength(2);
    expect(() => more.contexts()).toThrow(/more sound/);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { entriesOf } from '#trace/files/testing/recordings.ts';
import type { HeardRecord } from '#trace/player-entry.ts';
import { RecordedSpeech, type RecordedTurn, SOUND_LIMITS, type SoundLimits } from '#trace/recorded-speech.ts';
import { RATE } from '../testing/spoken-turn.ts';
import { heardSound, receivedSound } from './recorded-sound.ts';
import { audioEntry, playerEntry } from './testing/audio-entries.ts';

type Audio = Parameters<typeof audioEntry>[0];
type Loose = Parameters<typeof entriesOf>[0][number];
type Place = { turn?: number; context?: string };

async function turnsOf(entries: readonly Loose[], limits = SOUND_LIMITS, endpoint = 'kugel-multi') {
  const speech = new RecordedSpeech(endpoint, limits);
  for (const entry of entriesOf(entries)) await speech.add(entry);
  return speech.turns;
}

const received = (frames: readonly Audio[], limits?: SoundLimits) => turnsOf(frames.map(audioEntry), limits);

const soundOf = (...turns: RecordedTurn[]) => receivedSound(turns).flatMap(({ samples }) => [...samples]);

describe('received sound', () => {
  it('has every sample of a turn, for any cut into frames', async () => {
    await fc.assert(
      fc.asyncProperty(fc.int16Array(), fc.array(fc.nat(40)), async (samples, lengths) => {
        const bytes = bytesFromSamples(samples);
        const frames: Audio[] = [];
        let at = 0;
        for (const length of [...lengths, bytes.length]) {
          frames.push({ of: bytes.subarray(at, at + length) });
          at += length;
        }
        const turns = await received(frames);
        expect(turns.map(({ id, context }) => [id, context])).toEqual([[1, 'a']]);
        expect(receivedSound(turns)).toEqual(
          samples.length === 0 ? [] : [{ sampleRate: 24_000, samples: new Int16Array(samples) }],
        );
      }),
    );
  });

  it('keeps contexts apart that speak at once, and puts the turns of each end to end', async () => {
    const frames = [
      { turn: 1, context: 'a', of: [1] },
      { turn: 2, context: 'b', of: [10] },
      { turn: 1, context: 'a', of: [2] },
      { turn: 3, context: 'a', of: [3] },
    ];
    const turns = await received(frames);
    expect(turns.map((turn) => [turn.id, ...soundOf(turn)])).toEqual([
      [1, 1, 2],
      [2, 10],
      [3, 3],
    ]);
    const ofContext = (name: string) => turns.filter(({ context }) => context === name);
    expect(soundOf(...ofContext('a'))).toEqual([1, 2, 3]);
    expect(soundOf(...ofContext('b'))).toEqual([10]);
  });

  it('half a sample at the end of a turn does not shift the next one', async () => {
    const turns = await received([
      { turn: 1, of: new Uint8Array([1, 0, 9]) },
      { turn: 2, of: [2] },
    ]);
    expect(soundOf(...turns)).toEqual([1, 2]);
  });

  it('expands µ-law and A-law, and makes one piece a rate', async () => {
    const codes = encodeG711('mulaw', Int16Array.of(0, 1000, -1000));
    const turns = await received([{ enc: 'mulaw', sr: 8000, of: codes }, { of: [5] }]);
    const [first, second] = receivedSound(turns);
    const expected = new Int16Array(3);
    decodeG711Into('mulaw', codes, expected);
    expect(first).toMatchObject({ sampleRate: 8000, samples: expected });
    expect(second).toMatchObject({ sampleRate: 24_000, samples: Int16Array.of(5) });
  });

  it('leaves out what cannot be read, and finds nothing under an unknown endpoint', async () => {
    const frames = [audioEntry({ of: [1] }), { ...audioEntry({ of: [] }), payload: '{"audio":"*"}' }];
    expect(receivedSound(await turnsOf(frames))).toHaveLength(1);
    expect(await turnsOf(frames, SOUND_LIMITS, 'no-such')).toEqual([]);
  });

  it('is collected up to as much as a file may hold, in as many pieces as it may have', async () => {
    const take = async (frames: readonly Audio[]) =>
      receivedSound(await received(frames, { samples: 30, pieces: 3 }));
    const of = new Uint8Array(30);
    expect((await take([{ of }, { of }]))[0]?.samples).toHaveLength(30);
    await expect(take([{ of }, { of }, { of: [1] }])).rejects.toThrow('more than 30 samples');
    const rates = [8000, 16_000, 24_000, 48_000].map((sr) => ({ sr, of: [1] }));
    expect(await take(rates.slice(1))).toHaveLength(3);
    await expect(take(rates)).rejects.toThrow('of more than 3 turns');
  });
});

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

/** Returns the heard samples of each turn with any, in the order of hearing. */
async function heardOf(entries: readonly Loose[]) {
  const all = await turnsOf(entries);
  return heardSound(all).map(({ samples }) => [...samples]);
}

describe('heard sound', () => {
  it('is what was received, where all of it was heard', async () => {
    const turns = await turnsOf([audio([1, 2, 3]), audio([4, 5]), heard([[0, 5]])]);
    expect(heardSound(turns)).toEqual([{ sampleRate: RATE, samples: Int16Array.of(1, 2, 3, 4, 5) }]);
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
    ['ends where the turn was cut off, without late audio', [audio([1, 2, 3]), cut, audio([4, 5])], [1, 2]],
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
  ])('%s', async (_, entries, samples) => {
    expect(await heardOf(entries)).toEqual([samples]);
  });

  it('contains turns and contexts in the order of hearing', async () => {
    const turns = await turnsOf([
      audio([1], { turn: 1 }),
      audio([9], { turn: 2, context: 'b' }),
      audio([2], { turn: 3 }),
      heard([[0, 1]], { turn: 3 }),
      heard([[0, 1]], { turn: 1 }),
      heard([[0, 1]], { turn: 2, context: 'b' }),
    ]);
    const heardIn = (context: string) => heardSound(turns.filter((turn) => turn.context === context));
    expect(heardSound(turns)).toEqual([{ sampleRate: RATE, samples: Int16Array.of(1, 9, 2) }]);
    expect(heardIn('a')).toEqual([{ sampleRate: RATE, samples: Int16Array.of(1, 2) }]);
    expect(heardIn('b')).toEqual([{ sampleRate: RATE, samples: Int16Array.of(9) }]);
  });

  it('leaves out turns without heard audio or without a record', async () => {
    const entries = [
      audio([1]),
      audio([2], { turn: 2 }),
      heard([], { turn: 2 }),
      heard([[0, 1]], { turn: 3 }),
      heard([[0, 1]], { turn: 1 }, { sampleRate: null }),
    ];
    expect(await heardOf(entries)).toEqual([]);
  });

  const often = (span: [sample: number, count: number]) =>
    heard(new Array<[number, number]>(10_000).fill(span));
  const minute = audio(new Array<number>(60 * RATE).fill(1));

  it.each([
    ['sound', [minute, often([0, 2 ** 40])]],
    ['silence', [audio([1]), underrun(0, 600 * 48_000), often([0, 0])]],
  ])('makes nothing of a forged recording with more %s than a file may hold', async (_, forged) => {
    const turns = await turnsOf(forged);
    const refused =
      /more sound than one file may hold: more than 268,435,456 samples, as many as in 3\.1 hours at 24 kHz/;
    expect(() => heardSound(turns)).toThrow(refused);
  });

  it('counts all turns of a context', async () => {
    const samples = new Array<number>(65_536).fill(1);
    const twice = heard([
      [0, 65_536],
      [0, 65_536],
    ]);
    const turns = await turnsOf([audio(samples), audio([1], { turn: 2 }), twice, { ...twice, turn: 2 }]);
    const lengths = turns.map((turn) => heardSound([turn])[0]?.samples.length);
    expect(lengths).toEqual([131_072, 2]);
    expect(heardSound(turns, { samples: 131_074, pieces: 2 })[0]?.samples).toHaveLength(131_074);
    expect(() => heardSound(turns, { samples: 131_073, pieces: 2 })).toThrow(/more sound/);
  });
});

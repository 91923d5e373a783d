import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { ReceivedAudioCollector } from './received-audio.ts';
import { audioEntry } from './testing/audio-entries.ts';
import { entriesOf } from './testing/recordings.ts';

type Heard = Parameters<typeof audioEntry>[0];

const collected = (frames: readonly Heard[], limits?: { samples: number; pieces: number }) => {
  const collector = new ReceivedAudioCollector('kugel-multi', limits);
  for (const entry of entriesOf(frames.map(audioEntry))) collector.add(entry);
  return collector;
};

describe('received audio', () => {
  it('has every sample of a turn, wherever it was cut into frames', () => {
    fc.assert(
      fc.property(fc.int16Array(), fc.array(fc.nat(40)), (samples, lengths) => {
        const bytes = bytesFromSamples(samples);
        const frames: Heard[] = [];
        let at = 0;
        for (const length of [...lengths, bytes.length]) {
          frames.push({ of: bytes.subarray(at, at + length) });
          at += length;
        }
        const turns = collected(frames).turns();
        expect(turns).toEqual(
          samples.length === 0
            ? []
            : [{ turn: 1, context: 'a', sampleRate: 24_000, samples: new Int16Array(samples) }],
        );
      }),
    );
  });

  it('keeps contexts apart that speak at once, and puts the turns of each end to end', () => {
    const frames = [
      { turn: 1, context: 'a', of: [1] },
      { turn: 2, context: 'b', of: [10] },
      { turn: 1, context: 'a', of: [2] },
      { turn: 3, context: 'a', of: [3] },
    ];
    const collector = collected(frames);
    expect(collector.turns().map(({ turn, samples }) => [turn, ...samples])).toEqual([
      [1, 1, 2],
      [2, 10],
      [3, 3],
    ]);
    expect(collector.contexts().map(({ turn, context, samples }) => [turn, context, ...samples])).toEqual([
      [null, 'a', 1, 2, 3],
      [null, 'b', 10],
    ]);
  });

  it('half a sample at the end of a turn does not shift the next one', () => {
    const collector = collected([
      { turn: 1, of: new Uint8Array([1, 0, 9]) },
      { turn: 2, of: [2] },
    ]);
    expect([...(collector.contexts()[0]?.samples ?? [])]).toEqual([1, 2]);
  });

  it('expands µ-law and A-law, and makes one piece a rate', () => {
    const codes = encodeG711('mulaw', Int16Array.of(0, 1000, -1000));
    const [first, second] = collected([{ enc: 'mulaw', sr: 8000, of: codes }, { of: [5] }]).turns();
    const expected = new Int16Array(3);
    decodeG711Into('mulaw', codes, expected);
    expect(first).toMatchObject({ sampleRate: 8000, samples: expected });
    expect(second).toMatchObject({ sampleRate: 24_000, samples: Int16Array.of(5) });
  });

  it('leaves out what cannot be read, and finds nothing under an unknown endpoint', () => {
    const collector = collected([{ of: [1] }]);
    const [entry] = entriesOf([{ ...audioEntry({ of: [] }), payload: '{"audio":"*"}' }]);
    if (entry) collector.add(entry);
    expect(collector.turns()).toHaveLength(1);
    expect(new ReceivedAudioCollector('no-such').turns()).toEqual([]);
  });

  it('is collected up to as much as a file may hold, in as many pieces as it may have', () => {
    const take = (frames: readonly Heard[]) => collected(frames, { samples: 30, pieces: 3 }).turns();
    const of = new Uint8Array(30);
    expect(take([{ of }, { of }])[0]?.samples).toHaveLength(30);
    expect(() => take([{ of }, { of }, { of: [1] }])).toThrow('more than 30 samples');
    const rates = [8000, 16_000, 24_000, 48_000].map((sr) => ({ sr, of: [1] }));
    expect(take(rates.slice(1))).toHaveLength(3);
    expect(() => take(rates)).toThrow('of more than 3 turns');
  });
});

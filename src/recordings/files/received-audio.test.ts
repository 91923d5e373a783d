import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import { decodeG711Into, encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { ReceivedAudioCollector } from './received-audio.ts';
import { entriesOf } from './testing/recordings.ts';

interface Heard {
  turn?: number | null;
  context?: string | null;
  sr?: number;
  enc?: string;
  bytes: Uint8Array;
}

/** Audio frames as `/ws/tts/multi` sends them. */
const frameOf = ({ turn = 1, context = 'a', sr = 24_000, enc = 'pcm_s16le', bytes }: Heard) => ({
  gapUs: 1,
  direction: 'in' as const,
  connection: 1,
  opcode: 'text' as const,
  kind: 'audio',
  turn,
  context,
  chunk: 0,
  audioMs: null,
  payload: JSON.stringify({
    audio: encodeBase64(bytes),
    enc,
    idx: 0,
    sr,
    samples: 0,
    chunk_id: 0,
    context_id: context,
  }),
});

const collected = (frames: readonly Heard[]) => {
  const collector = new ReceivedAudioCollector('kugel-multi');
  for (const entry of entriesOf(frames.map(frameOf))) collector.add(entry);
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
          frames.push({ bytes: bytes.subarray(at, at + length) });
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
      { turn: 1, context: 'a', bytes: bytesFromSamples(Int16Array.of(1)) },
      { turn: 2, context: 'b', bytes: bytesFromSamples(Int16Array.of(10)) },
      { turn: 1, context: 'a', bytes: bytesFromSamples(Int16Array.of(2)) },
      { turn: 3, context: 'a', bytes: bytesFromSamples(Int16Array.of(3)) },
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
      { turn: 1, bytes: new Uint8Array([1, 0, 9]) },
      { turn: 2, bytes: new Uint8Array([2, 0]) },
    ]);
    expect([...(collector.contexts()[0]?.samples ?? [])]).toEqual([1, 2]);
  });

  it('expands µ-law and A-law, and makes one piece a rate', () => {
    const codes = encodeG711('mulaw', Int16Array.of(0, 1000, -1000));
    const [first, second] = collected([
      { enc: 'mulaw', sr: 8000, bytes: codes },
      { bytes: new Uint8Array([5, 0]) },
    ]).turns();
    const expected = new Int16Array(3);
    decodeG711Into('mulaw', codes, expected);
    expect(first).toMatchObject({ sampleRate: 8000, samples: expected });
    expect(second).toMatchObject({ sampleRate: 24_000, samples: Int16Array.of(5) });
  });

  it('counts what cannot be read, and finds nothing under an unknown endpoint', () => {
    const collector = collected([{ bytes: new Uint8Array([1, 0]) }]);
    collector.add({
      index: 1,
      atUs: 2,
      direction: 'in',
      connection: 1,
      opcode: 'text',
      bytes: 0,
      kind: 'audio',
      turn: 1,
      context: 'a',
      chunk: 0,
      audioMs: null,
      payload: '{"audio":"*","enc":"pcm_s16le","idx":0,"sr":24000,"samples":1,"chunk_id":0,"context_id":"a"}',
    });
    expect(collector.turns()).toHaveLength(1);
    expect(new ReceivedAudioCollector('no-such').turns()).toEqual([]);
  });

  it('is taken up to as much as a file may hold, in as many pieces as it may have', () => {
    const take = (frames: readonly Heard[]) => {
      const collector = new ReceivedAudioCollector('kugel-multi', { samples: 30, pieces: 3 });
      for (const entry of entriesOf(frames.map(frameOf))) collector.add(entry);
      return collector.turns();
    };
    const bytes = new Uint8Array(30);
    expect(take([{ bytes }, { bytes }])[0]?.samples).toHaveLength(30);
    expect(() => take([{ bytes }, { bytes }, { bytes: new Uint8Array(2) }])).toThrow('more than 30 samples');
    const rates = [8000, 16_000, 24_000, 48_000].map((sr) => ({ sr, bytes: new Uint8Array(2) }));
    expect(take(rates.slice(1))).toHaveLength(3);
    expect(() => take(rates)).toThrow('of more than 3 turns');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeG711 } from '#lib/g711.ts';
import { kugelEndpoints } from '#protocol/kugel/endpoints.ts';
import type { NewEntry } from '#trace/entry.ts';
import type { HeardRecord } from '#trace/player-entry.ts';
import { audioEntry, playerEntry } from '../files/testing/audio-entries.ts';
import { FrameIndex } from '../store/frame-index.ts';
import { RATE } from '../testing/spoken-turn.ts';
import { newEntry } from '../testing/world.ts';
import { frameOutcomeOf } from './frame-outcome.ts';
import { FrameReader } from './frame-reader.ts';
import { GrowingTurn } from './growing-turn.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

type Audio = Parameters<typeof audioEntry>[0];

const audio = (of: Audio['of'], more: Partial<Audio> = {}): NewEntry => newEntry(audioEntry({ of, ...more }));
const silence = (count: number, more: Partial<Audio> = {}): NewEntry =>
  audio(new Array<number>(count).fill(0), more);
const heard = (record: Partial<HeardRecord>): NewEntry =>
  newEntry(playerEntry('heard', { sampleRate: RATE, samples: 0, spans: [], dropped: null, ...record }));

/** A recording with these entries, a millisecond apart. */
async function traced(entries: readonly NewEntry[], turn = 1) {
  const index = new FrameIndex();
  const add = (more: readonly NewEntry[]) => {
    for (const entry of more) index.append({ ...entry, atUs: index.length * 1000 });
  };
  add(entries);
  const all = [...entries];
  const reader = {
    entry: async (at: number) => ({ ...index.head(at), payload: all[at]?.payload ?? null }),
  };
  const growing = new GrowingTurn(turn, index, reader, new FrameReader(index, reader, kugelMulti));
  await growing.update();
  const outcome = (at: number, soFar: HeardRecord | null = null, isLive = false) =>
    frameOutcomeOf(at, growing.turn, soFar, isLive);
  const grow = async (more: readonly NewEntry[]) => {
    all.push(...more);
    add(more);
    await growing.update();
  };
  return { turn: growing.turn, outcome, grow };
}

describe('the samples of a frame', () => {
  it('are counted as the player counts them, wherever the bytes were cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(30), { minLength: 1, maxLength: 12 }), async (lengths) => {
        const { turn, outcome } = await traced(lengths.map((length) => audio(new Uint8Array(length))));
        let bytes = 0;
        lengths.forEach((length, i) => {
          const from = Math.floor(bytes / 2);
          bytes += length;
          const frame = turn.frames[i];
          expect([frame?.sample, frame?.count]).toEqual([from, Math.floor(bytes / 2) - from]);
        });
        expect(outcome(0)?.turnSamples).toBe(Math.floor(bytes / 2));
      }),
    );
  });

  it('are one for a byte of G.711, and none of a frame at another rate or of another turn', async () => {
    const codes = encodeG711('mulaw', Int16Array.of(0, 1000, -1000));
    const { turn, outcome } = await traced([
      audio(codes, { enc: 'mulaw', sr: 8000 }),
      silence(5),
      silence(5, { turn: 2 }),
      audio(codes, { enc: 'mulaw', sr: 8000 }),
    ]);
    expect([turn.samples, turn.sound.audio?.sampleRate]).toEqual([6, 8000]);
    expect(outcome(1)).toMatchObject({
      count: 0,
      kind: 'unreadable',
      problem: expect.stringContaining('8000 Hz'),
    });
    expect(outcome(2)).toBeNull();
    expect(outcome(3)).toMatchObject({ sample: 3, count: 3 });
  });

  it('are heard at their time, on either side of an underrun', async () => {
    const { outcome } = await traced([
      silence(240),
      silence(240),
      heard({
        samples: 480,
        spans: [
          { sample: 0, count: 360, atUs: 100_000 },
          { sample: 360, count: 120, atUs: 200_000 },
        ],
      }),
    ]);
    expect(outcome(0)).toMatchObject({
      kind: 'heard',
      atUs: 0,
      played: [{ sample: 0, count: 240, atMs: 100 }],
      dropped: null,
    });
    expect(outcome(1)).toMatchObject({
      kind: 'heard',
      played: [
        { sample: 240, count: 120, atMs: 110 },
        { sample: 360, count: 120, atMs: 200 },
      ],
    });
  });

  it('are cut, dropped, or came too late where the turn was cut off', async () => {
    const { outcome } = await traced([
      silence(240),
      silence(240),
      silence(240),
      heard({
        samples: 480,
        spans: [{ sample: 0, count: 100, atUs: 0 }],
        dropped: { sample: 100, atUs: 4166, why: 'cancel' },
      }),
    ]);
    expect(outcome(0)).toMatchObject({ kind: 'cut', dropped: { sample: 100, why: 'cancel' } });
    expect(outcome(1)).toMatchObject({
      kind: 'dropped',
      played: [],
      dropped: { sample: 240, why: 'cancel' },
    });
    expect(outcome(2)).toMatchObject({ kind: 'late', sample: 480, dropped: { why: 'cancel' } });
  });

  it('came too late also where nothing of the turn had come before the cancel', async () => {
    const { outcome } = await traced([
      heard({ sampleRate: null, dropped: { sample: 0, atUs: 0, why: 'cancel' } }),
      silence(240),
    ]);
    expect(outcome(1)).toMatchObject({ kind: 'late' });
  });

  it('wait, or are heard up to the playhead, while the turn lasts', async () => {
    const { outcome, grow } = await traced([silence(240), silence(240)]);
    const soFar = {
      sampleRate: RATE,
      samples: 480,
      spans: [{ sample: 0, count: 300, atUs: 0 }],
      dropped: null,
    };
    expect([0, 1].map((at) => outcome(at, null, true)?.kind)).toEqual(['waiting', 'waiting']);
    expect([0, 1].map((at) => outcome(at, soFar, true)?.kind)).toEqual(['heard', 'hearing']);
    expect(outcome(1)?.kind).toBe('unknown');
    await grow([silence(10), heard({ samples: 490, spans: [{ sample: 0, count: 490, atUs: 0 }] })]);
    expect([0, 1, 2].map((at) => outcome(at, null, true)?.kind)).toEqual(['heard', 'heard', 'heard']);
  });

  it('lie among those before and behind, with the words that were spoken there', async () => {
    const ramp = Array.from({ length: 7200 }, (_, i) => i);
    const words = newEntry({
      kind: 'words',
      turn: 1,
      chunk: 1,
      payload: JSON.stringify({
        context_id: 'a',
        word_timestamps: [
          { word: 'one', start_ms: 0, end_ms: 50, char_start: 0, char_end: 3 },
          { word: 'two', start_ms: 50, end_ms: 100, char_start: 4, char_end: 7 },
        ],
        chunk_id: 1,
      }),
    });
    const { outcome, turn } = await traced([
      audio(ramp.slice(0, 2400)),
      audio(ramp.slice(2400, 4800), { chunk: 1 }),
      words,
      audio(ramp.slice(4800), { chunk: 1 }),
    ]);
    const found = outcome(1);
    expect(found).toMatchObject({ sample: 2400, count: 2400, chunk: 1 });
    const { sample = 0, samples = new Int16Array() } = found?.window ?? {};
    expect(sample).toBeLessThan(2400);
    expect(sample + samples.length).toBeGreaterThan(4800);
    expect(samples).toEqual(Int16Array.from(ramp.slice(sample, sample + samples.length)));
    expect(found?.words.map(({ text, sample, count }) => [text, sample, count])).toEqual([
      ['one', 2400, 1200],
      ['two', 3600, 1200],
    ]);
    expect([0, 2399, 2400, 4800, 7199].map((at) => turn.frameAt(at)?.index)).toEqual([0, 0, 1, 3, 3]);
    expect(turn.frameAt(7200)).toBeUndefined();
  });
});

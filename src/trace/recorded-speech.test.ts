import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '#lib/base64.ts';
import { decoders } from '#player/decoders.ts';
import { PcmStore } from '#player/pcm-store.ts';
import { mp3Of, toneSyllables } from '#player/testing/mp3.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { RecordEntry } from './entry.ts';
import {
  DecodedSound,
  RecordedSpeech,
  RecordedTurn,
  SOUND_LIMITS,
  type SoundLimits,
} from './recorded-speech.ts';

/** What is sent and received, each with its kind, its turn and its chunk. */
type Noted = [RecordEntry['direction'], string, number, number | null, object];

const entriesOf = (frames: readonly Noted[]) =>
  frames.map(([direction, kind, turn, chunk, frame], index): RecordEntry => {
    const payload = JSON.stringify(frame);
    const bytes = payload.length;
    const head = { index, atUs: index * 1000, direction, connection: 1, opcode: 'text' as const, bytes };
    return { ...head, kind, turn, context: null, chunk, audioMs: null, payload };
  });

async function speechOf(
  endpoint: string,
  entries: readonly RecordEntry[],
  limits: SoundLimits | null = SOUND_LIMITS,
) {
  const speech = new RecordedSpeech(endpoint, limits);
  for (const entry of entries) await speech.add(entry);
  return speech.turns;
}

const audio = (bytes: Uint8Array, turn = 1, chunk = 0): Noted => [
  'in',
  'audio',
  turn,
  chunk,
  { audio: encodeBase64(bytes), enc: 'pcm_s16le', idx: 0, sr: 24_000, samples: 0, chunk_id: chunk },
];
const faulty: Noted = ['in', 'audio', 1, 0, { ...audio(new Uint8Array(4))[4], audio: 'AA*A' }];

describe('the samples of a recorded turn', () => {
  it('are as many where they are only counted, for any cut of the bytes', async () => {
    const frame = fc.oneof(
      { weight: 9, arbitrary: fc.tuple(fc.uint8Array({ maxLength: 9 }), fc.nat(2)) },
      fc.constant(null),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 20 }), async (frames) => {
        const entries = entriesOf(frames.map((each) => (each ? audio(each[0], 1, each[1]) : faulty)));
        const [kept] = await speechOf('kugel-stream', entries);
        const [counted] = await speechOf('kugel-stream', entries, null);
        expect(counted?.chunks).toEqual(kept?.chunks);
        expect(counted?.samples).toBe(kept?.samples);
      }),
    );
  });

  it('are counted in compressed audio, where no length of a frame says how many they are', async () => {
    const stream = await mp3Of(toneSyllables(12_000, 24_000), 24_000);
    const event = { type: 'audio', context: '', chunk: 0, index: null, samples: null } as const;
    const format = { encoding: 'mp3', sampleRate: 24_000 } as const;
    const place = { turn: 1, context: null };
    const kept = new RecordedTurn(place);
    const counted = new RecordedTurn(place, new DecodedSound((rate) => new PcmStore(rate, 'counted')));
    const head = { chunk: null, atUs: 0 };
    await decoders.ready('mp3');
    for (let at = 0; at < stream.length; at += 500)
      for (const turn of [kept, counted])
        turn.read([{ ...event, ...format, payload: { bytes: stream.subarray(at, at + 500) } }], head);
    for (const { sound } of [kept, counted]) sound.close();
    expect(counted.samples).toBeGreaterThanOrEqual(12_000);
    expect(counted.chunks).toEqual(kept.chunks);
  });

  it('are counted in a turn of any length', async () => {
    const second = audio(new Uint8Array(48_000));
    const [turn] = await speechOf('kugel-stream', entriesOf(new Array(7).fill(second)), null);
    expect(turn?.samples).toBe(7 * 24_000);
  });
});

it('Turns are in the order of speaking, also where a later one has a lower number', async () => {
  const bytes = new Uint8Array(2);
  const turns = await speechOf(
    'kugel-stream',
    entriesOf([audio(bytes, 2), audio(bytes, 1), audio(bytes, 2)]),
  );
  expect(turns.map(({ id, samples }) => [id, samples])).toEqual([
    [2, 2],
    [1, 1],
  ]);
});

it('The last times of the server count, as on the page', async () => {
  const words = (...list: string[]): Noted => {
    const timed = list.map((word) => ({ word, start_ms: 0, end_ms: 1, char_start: 0, char_end: 1 }));
    return ['in', 'words', 1, 0, { word_timestamps: timed, chunk_id: 0 }];
  };
  const [turn] = await speechOf('kugel-stream', entriesOf([words('a'), words('b', 'c'), words()]));
  expect(turn?.chunks[0]?.words?.map(({ word }) => word)).toEqual(['b', 'c']);
});

describe('The chunks of a recording whose frames name none', () => {
  const spoken = (chunk: number): Noted => [
    'in',
    'audio',
    1,
    chunk,
    { type: 'audio', chunk: encodeBase64(new Uint8Array(4)), format: 'pcm_s16le', sample_rate: 24_000 },
  ];
  const done = (chunk: number): Noted => ['in', 'chunkCompleted', 1, chunk, { type: 'done' }];
  const sentence = 'A sentence that is long enough to be cut behind its end. ';
  const entries = entriesOf([
    ['out', 'say', 1, null, { type: 'text', text: sentence.repeat(9) }],
    ['out', 'flush', 1, null, { type: 'flush' }],
    spoken(0),
    spoken(0),
    done(0),
    spoken(1),
    done(1),
  ]);
  const samplesOf = (turn: RecordedTurn | undefined) => turn?.chunks.map(({ id, samples }) => [id, samples]);
  const expected = [
    [0, 4],
    [1, 2],
  ];

  it('follow from what was sent', async () => {
    const forgotten = entries.map((entry) => ({ ...entry, chunk: null }));
    expect(samplesOf((await speechOf('murmr', forgotten))[0])).toEqual(expected);
  });

  it('are the stored ones for a dialect that read only some of the frames', async () => {
    const untold = protocolOf(murmr).open({ settings: {}, key: '' });
    const turn = new RecordedTurn({ turn: 1, context: null });
    for (const entry of entries) if (entry.kind === 'audio') turn.read(untold.decode(entry.payload), entry);
    expect(samplesOf(turn)).toEqual(expected);
  });
});

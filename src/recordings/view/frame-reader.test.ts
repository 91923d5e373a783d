import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { mp3Of, toneSyllables } from '#player/testing/mp3.ts';
import type { AudioFormat } from '#protocol/core/audio-format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { integerSetting, settingsOf } from '#protocol/core/settings.ts';
import { kugelEndpoints, kugelStream } from '#protocol/kugel/endpoints.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { NewEntry } from '#trace/entry.ts';
import { FrameIndex } from '../store/frame-index.ts';
import { newEntry } from '../testing/world.ts';
import { FrameReader } from './frame-reader.ts';

const { 'kugel-multi': kugelMulti } = kugelEndpoints;

const SAMPLES = Int16Array.of(0, 1, -1, 32_767, -32_768, 258);
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const PCM = bytesFromSamples(SAMPLES);
const received = (payload: object | Uint8Array<ArrayBuffer>, more: Partial<NewEntry> = {}): NewEntry =>
  newEntry({
    kind: 'audio',
    payload: payload instanceof Uint8Array ? payload : JSON.stringify(payload),
    ...more,
  });
const opening = (payload: object, connection = 1): NewEntry =>
  newEntry({
    direction: 'connection',
    opcode: 'none',
    kind: 'opening',
    connection,
    payload: JSON.stringify(payload),
  });

function readerOf(endpoint: Endpoint | null, ...entries: (NewEntry | { lost: NewEntry })[]) {
  const index = new FrameIndex();
  for (const entry of entries) index.append('lost' in entry ? entry.lost : entry);
  const entry = async (at: number) => {
    const one = entries[at];
    return { ...index.head(at), payload: !one || 'lost' in one ? null : one.payload };
  };
  return new FrameReader(index, { entry }, endpoint);
}

const WORDS = { title: '', group: 'Text', explanation: '' } as const;
/** An endpoint that no vendor has, under an id that no test here needs: bytes without a format, which is in its address. */
const plain: Endpoint = {
  ...murmr,
  id: 'kugel-tts',
  path: '/plain',
  settings: settingsOf({ rate: integerSetting(8000, 48_000, { ...WORDS, place: 'query' }) }),
  audioFormat: ({ rate }) => ({ encoding: 'pcm_s16le', sampleRate: Number(rate ?? 48_000) }),
};

beforeAll(() => {
  const murmrTraits = protocolOf(murmr).open({ settings: {}, key: '' }).traits;
  vi.spyOn(protocolOf(plain), 'open').mockImplementation(
    ({ settings, format = plain.audioFormat(settings) }) => ({
      traits: murmrTraits,
      encode: () => [],
      decode: (frame) =>
        typeof frame === 'string'
          ? [{ type: 'unknown', frame }]
          : [
              {
                type: 'audio',
                context: '',
                chunk: 0,
                index: null,
                samples: null,
                payload: { bytes: frame },
                ...format,
              },
            ],
    }),
  );
});
afterAll(() => void vi.restoreAllMocks());

describe('the sound in a frame', () => {
  it.each<[string, Endpoint | null, object]>([
    [
      'one vendor',
      kugelStream,
      { audio: base64(PCM), enc: 'pcm_s16le', idx: 0, sr: 22_050, samples: 6, chunk_id: 0 },
    ],
    [
      'a context',
      kugelMulti,
      { audio: base64(PCM), enc: 'pcm_s16le', idx: 0, sr: 22_050, samples: 6, chunk_id: 0, context_id: 'a' },
    ],
    [
      'another vendor',
      murmr,
      { type: 'audio', chunk: base64(PCM), sample_rate: 22_050, format: 'pcm_s16le' },
    ],
    [
      'an unknown endpoint',
      null,
      { type: 'audio', chunk: base64(PCM), sample_rate: 22_050, format: 'pcm_s16le' },
    ],
  ])('of %s has the rate that it names', async (_, endpoint, frame) => {
    expect(await readerOf(endpoint, received(frame)).audio(0)).toEqual({
      format: { encoding: 'pcm_s16le', sampleRate: 22_050 },
      samples: SAMPLES,
    });
  });

  it('is expanded from G.711', async () => {
    const audio = base64(encodeG711('mulaw', SAMPLES));
    const frame = { audio, enc: 'mulaw', idx: 0, sr: 8000, samples: 6, chunk_id: 0 };
    const sound = await readerOf(kugelStream, received(frame)).audio(0);
    expect(sound).toMatchObject({ format: { encoding: 'mulaw', sampleRate: 8000 } });
    expect(sound && 'samples' in sound && sound.samples).toHaveLength(6);
  });

  const floats = new Uint8Array(Float32Array.from([0, 0.5, -0.5]).buffer);
  const asFloats: AudioFormat = { encoding: 'pcm_f32le', sampleRate: 44_100 };
  it.each<[string, NewEntry[], AudioFormat]>([
    ['that was recorded', [opening({ address: 'ws://h/plain?rate=16000', format: asFloats })], asFloats],
    [
      'of the address in an older recording',
      [opening({ address: 'ws://h/plain?rate=16000' })],
      { encoding: 'pcm_s16le', sampleRate: 16_000 },
    ],
    [
      'of the address where the recorded one is unknown here',
      [opening({ address: 'ws://h/plain?rate=16000', format: { encoding: 'vorbis', sampleRate: 48_000 } })],
      { encoding: 'pcm_s16le', sampleRate: 16_000 },
    ],
    ['of the endpoint where the opening is missing', [], { encoding: 'pcm_s16le', sampleRate: 48_000 }],
  ])('of bytes has the format %s', async (_, openings, format) => {
    const sound = await readerOf(plain, ...openings, received(floats)).audio(openings.length);
    const samples = format === asFloats ? Int16Array.of(0, 16_384, -16_384) : new Int16Array(floats.buffer);
    expect(sound).toEqual({ format, samples });
  });

  it('is decoded from a frame of MP3', async () => {
    const format: AudioFormat = { encoding: 'mp3', sampleRate: 24_000 };
    const entries = [
      opening({ address: 'ws://h/plain', format }),
      received(await mp3Of(toneSyllables(2400, 24_000), 24_000)),
    ];
    const sound = await readerOf(plain, ...entries).audio(1);
    expect(sound).toMatchObject({ format });
    expect(sound && 'samples' in sound && sound.samples.length).toBeGreaterThan(2400);
  });

  it('of bytes has the format of its own connection', async () => {
    const reader = readerOf(
      plain,
      opening({ address: 'ws://h/plain?rate=16000' }),
      received(PCM),
      received({}, { kind: 'opening' }),
      opening({ address: 'ws://h/plain?rate=8000' }, 2),
      received(PCM, { connection: 2 }),
      received(PCM),
    );
    const rates = await Promise.all([1, 4, 5].map((entry) => reader.audio(entry)));
    expect(rates.map((sound) => sound && 'format' in sound && sound.format.sampleRate)).toEqual([
      16_000, 8000, 16_000,
    ]);
  });

  it('is a problem in words where the base64 is invalid', async () => {
    const frame = { audio: 'AA*A', enc: 'pcm_s16le', idx: 0, sr: 8000, samples: 1, chunk_id: 0 };
    expect(await readerOf(kugelStream, received(frame)).audio(0)).toEqual({
      problem: expect.stringContaining('found "*"'),
    });
  });

  it.each<[string, NewEntry | { lost: NewEntry }]>([
    ['other frames', received({ final: true }, { kind: 'audioEnded' })],
    ['other bytes', received(PCM, { kind: 'malformed' })],
    ['sent frames', received({ audio: base64(PCM), idx: 0, sr: 8000, samples: 6 }, { direction: 'out' })],
    ['a payload that was not kept', { lost: received(PCM) }],
  ])('is in none of %s', async (_, entry) => {
    expect(await readerOf(null, entry).audio(0)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import { encodeG711 } from '#lib/g711.ts';
import { bytesFromSamples } from '#lib/pcm.ts';
import { frameAudio } from './frame-audio.ts';

const SAMPLES = Int16Array.of(0, 1, -1, 32_767, -32_768, 258);
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const PCM = bytesFromSamples(SAMPLES);
const received = (payload: object | Uint8Array<ArrayBuffer>, kind = 'audio') => ({
  direction: 'in' as const,
  kind,
  payload: payload instanceof Uint8Array ? payload : JSON.stringify(payload),
});

describe('frameAudio', () => {
  it.each<[string, object]>([
    ['one vendor', { audio: base64(PCM), enc: 'pcm_s16le', idx: 0, sr: 22_050, samples: 6, chunk_id: 0 }],
    [
      'a context',
      { audio: base64(PCM), enc: 'pcm_s16le', idx: 0, sr: 22_050, samples: 6, chunk_id: 0, context_id: 'a' },
    ],
  ])('decodes a frame of %s at the rate that it names', (_, frame) => {
    expect(frameAudio(received(frame))).toEqual({
      format: { encoding: 'pcm_s16le', sampleRate: 22_050 },
      samples: SAMPLES,
    });
  });

  it('decodes the frames of the other vendor', () => {
    const frame = { type: 'audio', chunk: base64(PCM), sample_rate: 24_000, format: 'pcm_s16le' };
    expect(frameAudio(received(frame))).toMatchObject({ format: { sampleRate: 24_000 }, samples: SAMPLES });
  });

  it('expands G.711', () => {
    const codes = encodeG711('mulaw', SAMPLES);
    const audio = frameAudio(
      received({ audio: base64(codes), enc: 'mulaw', idx: 0, sr: 8000, samples: 6, chunk_id: 0 }),
    );
    expect(audio).toMatchObject({ format: { encoding: 'mulaw', sampleRate: 8000 } });
    expect(audio && 'samples' in audio && audio.samples).toHaveLength(6);
  });

  it('decodes bytes as 16-bit PCM at 24 kHz', () => {
    expect(frameAudio(received(PCM))).toEqual({
      format: { encoding: 'pcm_s16le', sampleRate: 24_000 },
      samples: SAMPLES,
    });
  });

  it('describes the problem of invalid base64', () => {
    const frame = { audio: 'AA*A', enc: 'pcm_s16le', idx: 0, sr: 8000, samples: 1, chunk_id: 0 };
    expect(frameAudio(received(frame))).toEqual({ problem: expect.stringContaining('found "*"') });
  });

  it.each([
    ['other frames', received({ final: true }, 'audioEnded')],
    ['other bytes', received(PCM, 'malformed')],
    [
      'sent frames',
      { ...received({ audio: base64(PCM), idx: 0, sr: 8000, samples: 6 }), direction: 'out' as const },
    ],
    ['a payload that was not kept', { ...received(PCM), payload: null }],
  ])('finds none in %s', (_, entry) => {
    expect(frameAudio(entry)).toBeNull();
  });
});

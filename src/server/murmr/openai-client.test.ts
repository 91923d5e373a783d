import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../running-server.ts';
import { startTestServer } from '../test-server.test-helper.ts';

/** OpenAI's package against `/v1/audio/speech` (`openai-migration.md`), with the real engine. */

let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const client = (apiKey = 'local') =>
  new OpenAI({ apiKey, baseURL: `${server.http}/murmr/v1`, maxRetries: 0 });

const speak = async (response_format?: 'wav' | 'pcm' | 'mp3') => {
  const response = await client().audio.speech.create({
    model: 'tts-1',
    voice: 'voice_7c1e09d4ab35',
    input: 'The quick brown fox jumped over the lazy dog.',
    ...(response_format && { response_format }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    type: response.headers.get('content-type'),
    ms: Number(response.headers.get('x-audio-duration-ms')),
    bytes,
  };
};

describe('openai', () => {
  it.each([
    ['wav', 'audio/wav', 44],
    ['pcm', 'audio/pcm', 0],
  ] as const)('gets %s', async (format, contentType, headerBytes) => {
    const { type, ms, bytes } = await speak(format);
    expect(type).toBe(contentType);
    const samples = Array.from({ length: (bytes.length - headerBytes) / 2 }, (_, at) =>
      bytes.readInt16LE(headerBytes + 2 * at),
    );
    expect(ms).toBe(Math.round(samples.length / 24));
    expect(ms).toBeGreaterThan(1500);
    expect(samples.some((sample) => sample > 3000)).toBe(true);
  });

  it('gets mp3 of nothing but whole frames', async () => {
    const { type, ms, bytes } = await speak();
    expect(type).toBe('audio/mpeg');
    let frames = 0;
    let at = 0;
    while (at < bytes.length) {
      expect(bytes.readUInt16BE(at)).toBe(0xfff3);
      // A frame of 576 samples at 24 kHz takes 384 bytes of 128 kbit/s.
      at += 384 + ((bytes.readUInt8(at + 2) >> 1) & 1);
      frames += 1;
    }
    expect(at).toBe(bytes.length);
    expect(frames * 24).toBeGreaterThan(ms);
    expect(frames * 24).toBeLessThan(ms + 150);
  });

  it.each([
    ['wrong', OpenAI.AuthenticationError, 'Invalid API key'],
    ['local-no-credits', OpenAI.RateLimitError, 'Usage limit exceeded.'],
    ['local-rate-limited', OpenAI.RateLimitError, 'Maximum 10 concurrent requests'],
    ['local-busy', OpenAI.InternalServerError, 'All slots occupied'],
  ])('with the key %s throws its own error', async (key, kind, message) => {
    const answer = client(key).audio.speech.create({
      model: 'tts-1',
      voice: 'voice_7c1e09d4ab35',
      input: 'Hello',
    });
    await expect(answer).rejects.toBeInstanceOf(kind);
    await expect(answer).rejects.toThrow(message);
  });
});

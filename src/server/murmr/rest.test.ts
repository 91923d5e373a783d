import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { murmrCatalogue } from '#protocol/murmr/wire/catalogue.ts';
import type { RunningServer } from '../running-server.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { firstVoices } from './saved-voices.ts';
import { readPrompt } from './voice-prompt.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let server: RunningServer;
let engine: TestEngine;

beforeAll(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine });
});
afterAll(() => server.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.http}/murmr${path}`, {
    ...init,
    headers: { Authorization: 'Bearer local', ...init.headers },
  });

describe('7 GET /v1/voices', () => {
  it('lists the saved voices in the shape of the vendor', async () => {
    const response = await ask('/v1/voices');
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const { voices, ...totals } = await response.json();
    expect(totals).toEqual({
      saved_count: FIRST_VOICES.length,
      saved_limit: 100,
      total: FIRST_VOICES.length,
    });
    for (const [index, voice] of voices.entries()) {
      expect(voice).toEqual({
        id: expect.stringMatching(/^voice_/),
        name: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        language: voice.language_name,
        language_name: expect.stringMatching(/^[A-Z][a-z]+$/),
        audio_preview_url: expect.stringMatching(
          /^http:\/\/127\.0\.0\.1:\d+\/murmr\/v1\/voices\/.+\/preview\.wav$/,
        ),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        prompt_data: expect.any(String),
      });
      expect(readPrompt(voice.prompt_data, LOCAL_CATALOGUE)).toEqual({ voice: FIRST_VOICES[index]?.cloned });
    }
  });

  it('is what the catalogue of the page reads, previews with it', async () => {
    const voices = await murmrCatalogue.voices({ base: `${server.http}/murmr`, key: 'local' });
    expect(voices.map(({ name, languages }) => ({ name, language: languages[0] }))).toEqual(
      FIRST_VOICES.map(({ name, language }) => ({ name, language })),
    );
    const preview = await fetch(voices[0]?.sampleUrl ?? '');
    expect(preview.headers.get('content-type')).toBe('audio/wav');
    expect(preview.headers.get('x-kugelaudio-ai-generated')).toBeNull();
    const wav = Buffer.from(await preview.arrayBuffer());
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24)]).toEqual(['RIFF', 24_000]);
    expect({ catalogue: engine.requests.at(-1)?.voice }).toEqual(FIRST_VOICES[0]?.cloned);
  });

  it.each<[string, HeadersInit]>([
    ['no key', { Authorization: '' }],
    ['a wrong key', { Authorization: 'Bearer wrong' }],
    ['a key where this vendor takes none', { Authorization: '', 'X-API-Key': 'local' }],
  ])('%s is refused with 401', async (_, headers) => {
    const response = await ask('/v1/voices', { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/API key/) });
  });

  it.each([
    ['/v1/voices', 'PUT', 405],
    ['/v1/voices/design', 'GET', 405],
    ['/v1/audio/speech/stream', 'GET', 405],
    ['/v1/jobs/job_0123456789abcdef', 'POST', 405],
    ['/v1/voices/voice_nobody', 'DELETE', 404],
    ['/v1/nothing', 'POST', 404],
    ['/v1/voices/voice_nobody/preview.wav', 'GET', 404],
    ['/v1/jobs/job_0', 'GET', 404],
  ])('%s by %s is answered with %i', async (path, method, status) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it('may be read by a page of this machine, and by no other', async () => {
    for (const [origin, allowed] of [
      ['http://localhost:5173', 'http://localhost:5173'],
      ['https://evil.example.com', null],
    ] as const) {
      const preflight = await ask('/v1/voices', { method: 'OPTIONS', headers: { Origin: origin } });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(allowed);
      const response = await ask('/v1/voices', { headers: { Origin: origin } });
      expect(response.headers.get('access-control-allow-origin')).toBe(allowed);
    }
  });
});

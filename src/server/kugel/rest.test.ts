import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

let server: RunningServer;
let engine: TestEngine;

beforeAll(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine });
});
afterAll(() => server.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.http}/kugel${path}`, { ...init, headers: { 'X-API-Key': 'local', ...init.headers } });

describe('keys over HTTP', () => {
  it.each(['/v1/voices', '/v1/voices/1071', '/v1/dictionaries'])('%s wants one', async (path) => {
    const answer = async (query: string) => {
      const response = await fetch(`${server.http}/kugel${path}${query}`);
      return [response.status, await response.json()];
    };
    const unauthorized = { error_code: 'UNAUTHORIZED', code: 401 };
    expect(await answer('')).toEqual([401, { error: 'Unauthorized', ...unauthorized }]);
    expect(await answer('?api_key=wrong')).toEqual([401, { error: 'Invalid API key', ...unauthorized }]);
    for (const key of ['local', 'local-no-credits']) expect((await answer(`?api_key=${key}`))[0]).toBe(200);
  });

  const model = { id: 'kugel-3', model_id: 'kugel-3', name: 'Kugel 3', description: expect.any(String) };
  it.each([
    ['/health', { status: 'healthy' }],
    ['/ready', { status: 'ready', model_path: 'espeak-ng', multi_model: false }],
    [
      '/v1/models',
      { models: [{ ...model, parameters: null, max_input_length: 10_000, sample_rate: 24_000 }] },
    ],
  ])('5 %s wants none', async (path, expected) => {
    expect(await (await fetch(`${server.http}/kugel${path}`)).json()).toEqual(expected);
  });
});

describe('methods and origins', () => {
  it.each([
    ['POST', '/v1/models', 501, 'VALIDATION_ERROR'],
    ['GET', '/v1/tts/generate', 501, 'VALIDATION_ERROR'],
    ['GET', '/v1/voices/1071/references', 501, 'VALIDATION_ERROR'],
    ['DELETE', '/v1/voices/1071/references/1', 501, 'VALIDATION_ERROR'],
    ['POST', '/v1/voices/1071/generate-sample', 501, 'VALIDATION_ERROR'],
    ['POST', '/v1/dictionaries/1/invalidate', 501, 'VALIDATION_ERROR'],
    ['POST', '/v1/normalize', 501, 'VALIDATION_ERROR'],
    ['POST', '/v1/audio/enhance', 501, 'VALIDATION_ERROR'],
    ['GET', '/v1/audio/enhance/stream', 501, 'VALIDATION_ERROR'],
    ['POST', '/v1/sdk-diagnostics', 501, 'VALIDATION_ERROR'],
    ['GET', '/11labs/v1/voices', 501, 'VALIDATION_ERROR'],
    ['GET', '/v1/nothing', 404, 'NOT_FOUND'],
    ['POST', '/v1/nothing', 404, 'NOT_FOUND'],
  ])('%s %s is not offered: %i', async (method, path, code, error_code) => {
    const response = await ask(path, { method });
    expect([response.status, await response.json()]).toMatchObject([code, { error_code, code }]);
  });

  it('every answer has a request id of its own', async () => {
    const ids = await Promise.all(
      ['/v1/voices', '/v1/nothing', '/health'].map(async (path) =>
        (await ask(path)).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
  });

  it('a foreign page changes nothing', async () => {
    const response = await ask('/v1/tts/generate', {
      method: 'POST',
      headers: { Origin: 'https://evil.example.com' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });

  it('a page of this machine may read, another may not', async () => {
    const preflight = await ask('/v1/voices', {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:5173', 'Access-Control-Request-Headers': 'X-API-Key' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-Key');
    const foreign = await ask('/v1/voices', { headers: { Origin: 'https://evil.example.com' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(foreign.headers.get('vary')?.split(', ')).toContain('Origin');
  });
});

describe('samples', () => {
  it('many who ask at once get one synthesis', async () => {
    const before = engine.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${server.http}/kugel/v1/voices/1072/sample.wav`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(engine.requests.length - before).toBe(1);
  });

  it('a failed synthesis is not kept', async () => {
    engine.failNext();
    expect((await fetch(`${server.http}/kugel/v1/voices/268/sample.wav`)).status).toBe(500);
    expect((await fetch(`${server.http}/kugel/v1/voices/268/sample.wav`)).status).toBe(200);
  });

  it('a range can be requested', async () => {
    const url = `${server.http}/kugel/v1/voices/1071/sample.wav`;
    const part = await fetch(url, { headers: { Range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
    expect(await part.text()).toBe('RIFF');
    expect((await fetch(url, { headers: { Range: 'bytes=99999999-' } })).status).toBe(416);
  });

  it('the address in a voice plays', async () => {
    const { sample_url } = await (await ask('/v1/voices/1071')).json();
    const response = await fetch(sample_url);
    expect(response.headers.get('content-type')).toBe('audio/wav');
    expect(response.headers.get('x-kugelaudio-ai-generated')).toBe('true');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    // Every sample of the test engine.
    expect(new Set(new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44)))).toEqual(new Set([1000]));
  });
});

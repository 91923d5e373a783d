import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../running-server.ts';
import { VOICES } from '../../speech/voices/voices.ts';
import { openMemoryState } from '../../state/memory-state.ts';
import { createTestEngine, type TestEngine } from '../../test-engine.test-helper.ts';
import { startTestServer } from '../../test-server.test-helper.ts';
import { SocketClient } from '../socket-client.test-helper.ts';
import { MAX_OWN_VOICES } from './voice-store.ts';

let server: RunningServer;
let engine: TestEngine;

beforeEach(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine });
});
afterEach(() => server.stop());

async function call(method: string, path = '', body?: object) {
  const isForm = body instanceof FormData;
  const response = await fetch(`${server.http}/kugel/v1/voices${path}`, {
    method,
    headers: { 'X-API-Key': 'local', ...(body && !isForm ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

it('the list goes out compressed to a client that accepts it, and is the same', async () => {
  const read = async (encoding: string) => {
    const headers = { 'X-API-Key': 'local', 'Accept-Encoding': encoding };
    const response = await fetch(`${server.http}/kugel/v1/voices?limit=100`, { headers });
    return { encoding: response.headers.get('content-encoding'), body: await response.json() };
  };
  const plain = await read('identity');
  const packed = await read('gzip, br');
  expect([plain.encoding, packed.encoding]).toEqual([null, 'gzip']);
  expect(packed.body).toEqual(plain.body);
  expect(packed.body.voices).toHaveLength(VOICES.length);
});

/** All fields of the vendor's VoiceDetailInfo. */
const detail = {
  id: expect.any(Number),
  voice_id: expect.any(Number),
  handle: 'nora',
  public_id: 'nora',
  name: 'Nora',
  description: '',
  generative_voice_description: '',
  supported_languages: ['en'],
  category: 'generated',
  age: null,
  sex: null,
  quality: 'mid',
  is_public: false,
  verified: false,
  pending_verification: false,
  sample_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/kugel\/v1\/voices\/\d+\/sample\.wav\?v=1$/),
  avatar_url: null,
  sample_text: '',
};
const full = {
  name: 'My Custom Voice',
  sex: 'female',
  description: 'A warm, conversational voice',
  generative_voice_description: 'warm',
  category: 'conversational',
  age: 'middle_age',
  quality: 'high',
  supported_languages: ['de', 'en'],
  sample_text: 'Guten Tag.',
};
const forbidden = { status: 403, body: { error: 'Forbidden', error_code: 'UNAUTHORIZED', code: 403 } };
const missing = { status: 404, body: { error: 'Voice not found', error_code: 'NOT_FOUND', code: 404 } };
const created = async (fields: object = { name: 'Nora' }) => (await call('POST', '', fields)).body;
const heard = () => engine.requests.at(-1)?.voice;

describe('5 created voices', () => {
  it('need a name alone: 201 and every field of the detail', async () => {
    const { status, body } = await call('POST', '', { name: 'Nora' });
    expect(status).toBe(201);
    expect(body).toEqual(detail);
    expect(body.voice_id).toBe(body.id);
    expect(await call('GET', `/${body.id}`)).toEqual({ status: 200, body });
    expect(await call('GET', '/nora')).toEqual({ status: 200, body });
  });

  it('keep the fields that the SDKs send, in a form with a JSON part', async () => {
    const form = new FormData();
    const metadata = JSON.stringify({ ...full, is_public: true });
    form.append('metadata', new Blob([metadata], { type: 'application/json' }));
    const { status, body } = await call('POST', '', form);
    expect(status).toBe(201);
    const handle = 'my-custom-voice';
    expect(body).toEqual({ ...detail, ...full, handle, public_id: handle });
    const asText = new FormData();
    asText.append('metadata', metadata);
    expect((await call('POST', '', asText)).body).toMatchObject(full);
  });

  it('with reference audio answer 501, because no local engine clones', async () => {
    const form = new FormData();
    form.append('metadata', JSON.stringify(full));
    form.append('files', new Blob(['RIFF']), 'me.wav');
    const error = 'Reference audio is not offered by the local server';
    const refusal = { error, error_code: 'VALIDATION_ERROR', code: 501 };
    expect(await call('POST', '', form)).toEqual({ status: 501, body: refusal });
    expect((await call('GET', '?include_public=false')).body.total).toBe(0);
  });

  it('are listed after the catalogue, with the fields of a list, and by the filters', async () => {
    const { id } = await created({ ...full, category: null });
    await created({ name: 'Nora', category: 'narrative' });
    const total = VOICES.length + 2;
    expect((await call('GET', `?offset=${VOICES.length}`)).body).toMatchObject({ total, limit: 20 });
    const own = (await call('GET', '?include_public=false')).body;
    const { is_public, verified, pending_verification, sample_text, ...listed } = {
      ...detail,
      ...full,
      id,
      voice_id: id,
    };
    const { generative_voice_description, ...info } = listed;
    const handle = 'my-custom-voice';
    expect(own.voices[0]).toEqual({ ...info, category: 'generated', handle, public_id: handle });
    const names = async (query: string) =>
      (await call('GET', `?include_public=false&${query}`)).body.voices.map(
        (each: { name: string }) => each.name,
      );
    expect(await names('')).toEqual(['My Custom Voice', 'Nora']);
    expect(await names('language=de')).toEqual(['My Custom Voice']);
    expect(await names('category=narrative')).toEqual(['Nora']);
    expect((await call('GET', '?category=generated')).body.total).toBe(1);
    expect((await call('GET', '?category=premade')).body.total).toBe(VOICES.length);
  });

  it('update the given fields alone; null clears where null is a value', async () => {
    const { id } = await created(full);
    const changes = { name: 'Nora', description: null, age: null, quality: 'low', is_public: true };
    const { status, body } = await call('PATCH', `/${id}`, changes);
    expect(status).toBe(200);
    const before = { ...detail, ...full, handle: 'my-custom-voice', public_id: 'my-custom-voice' };
    const sample_url = expect.stringMatching(/\?v=2$/);
    expect(body).toEqual({ ...before, name: 'Nora', age: null, quality: 'low', sample_url });
    expect((await call('GET', `/${id}`)).body).toEqual(body);
  });

  it('are public once published, and wait for a verification', async () => {
    const { id } = await created();
    const { status, body } = await call('POST', `/${id}/publish`);
    expect(status).toBe(200);
    const published = { is_public: true, pending_verification: true, verified: false };
    expect(body).toEqual({ ...detail, ...published, sample_url: expect.any(String) });
  });

  it('are deleted: 204 without a body, and their ids are not used again', async () => {
    const { id } = await created();
    expect(await call('DELETE', `/${id}`)).toEqual({ status: 204, body: null });
    expect(await call('GET', `/${id}`)).toEqual(missing);
    expect(await call('DELETE', '/nora')).toEqual(missing);
    expect((await created()).id).toBeGreaterThan(id);
  });

  it('have handles that no other voice has and no id could be', async () => {
    const handles = [];
    for (const name of ['Márta  Śliwa!', 'marta', 'Nora', 'Nora', '1071', '声']) {
      const { id, handle } = await created({ name });
      handles.push(handle.replace(String(id), 'ID'));
    }
    expect(handles).toEqual(['marta-sliwa', 'marta-ID', 'nora', 'nora-ID', 'voice-ID', 'voice-ID']);
  });

  it.each([
    ['PATCH', '/1071', { name: 'Mine' }],
    ['DELETE', '/marta', undefined],
    ['POST', '/1072/publish', undefined],
  ])('1.8 %s %s of a premade voice: 403', async (method, path, body) => {
    expect(await call(method, path, body)).toEqual(forbidden);
  });

  it.each([
    ['POST', '/1071/references'],
    ['GET', '/1071/references'],
    ['DELETE', '/1071/references/1'],
    ['POST', '/1071/generate-sample'],
  ])('1.8 %s %s is not offered: 501', async (method, path) => {
    expect((await call(method, path)).status).toBe(501);
  });

  it.each([
    ['no name', {}, 'name: expected a string, got nothing'],
    ['a blank name', { name: ' ' }, 'name: expected at least 1 characters, got " "'],
    ['a long name', { name: 'a'.repeat(201) }, 'name: expected at most 200 characters, got 201'],
    [
      'a long sample text',
      { name: 'a', sample_text: 'a'.repeat(2001) },
      'sample_text: expected at most 2000 characters, got 2001',
    ],
    [
      'an unknown sex',
      { name: 'a', sex: 'robot' },
      'sex: expected one of "male", "female", "neutral", got "robot"',
    ],
    ['an unknown age', { name: 'a', age: 'teen' }, /^Invalid request: age: expected one of "young", /],
    [
      'the category of the catalogue',
      { name: 'a', category: 'premade' },
      /^Invalid request: category: expected/,
    ],
    [
      'an unknown quality',
      { name: 'a', quality: 'best' },
      /^Invalid request: quality: expected one of "low"/,
    ],
    [
      'an unknown language',
      { name: 'a', supported_languages: ['en', 'xx'] },
      /^Invalid request: supported_languages\.1: expected one of "de", /,
    ],
    [
      'languages in one text',
      { name: 'a', supported_languages: 'en' },
      /^Invalid request: supported_languages: /,
    ],
    ['a form without metadata', new FormData(), /^Invalid request: (metadata|expected a body)/],
  ])('a body with %s is refused', async (_, body, why) => {
    const error = typeof why === 'string' ? `Invalid request: ${why}` : expect.stringMatching(why);
    const refusal = { error, error_code: 'VALIDATION_ERROR', code: 400 };
    expect(await call('POST', '', body)).toEqual({ status: 400, body: refusal });
    expect((await call('GET', '?include_public=false')).body.total).toBe(0);
  });

  it('a form that breaks off is refused', async () => {
    const response = await fetch(`${server.http}/kugel/v1/voices?api_key=local`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n{"name"',
    });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toBe('Invalid request: expected a body of multipart/form-data');
  });

  it(`are at most ${MAX_OWN_VOICES}`, async () => {
    for (let n = 0; n < MAX_OWN_VOICES; n += 1) await created();
    const error = `Invalid request: expected at most ${MAX_OWN_VOICES} created voices`;
    const refusal = { error, error_code: 'VALIDATION_ERROR', code: 400 };
    expect(await call('POST', '', { name: 'Nora' })).toEqual({ status: 400, body: refusal });
  });
});

describe('created voices speak', () => {
  it('on every endpoint, by number and by handle', async () => {
    const { id } = await created({ name: 'Nora', sex: 'male', supported_languages: ['de'] });
    const body = JSON.stringify({ text: 'Hallo', voice_id: 'nora' });
    const headers = { 'X-API-Key': 'local' };
    const spoken = await fetch(`${server.http}/kugel/v1/tts/generate`, { method: 'POST', headers, body });
    expect((await spoken.arrayBuffer()).byteLength).toBeGreaterThan(0);
    const voice = heard();
    expect(voice).toMatchObject({ languages: ['de'] });
    const hans = VOICES.find(({ handle }) => handle === 'hans')?.espeak;
    expect(voice?.espeak.variant).toBe(hans?.variant);
    expect(voice?.espeak.pitch).not.toBe(hans?.pitch);

    const stream = new SocketClient(`${server.ws}/kugel/ws/tts/stream?api_key=local`);
    await stream.send({ voice_id: String(id), text: 'Hallo.', flush: true });
    await stream.until('session_closed');
    expect(engine.requests).toHaveLength(2);
    expect(heard()).toEqual(voice);
    const multi = new SocketClient(`${server.ws}/kugel/ws/tts/multi?api_key=local`);
    await multi.send({ context_id: 'a', text: 'Hallo.', voice_settings: { voice_id: id }, flush: true });
    await multi.until('final');
    expect(engine.requests).toHaveLength(3);
    expect(heard()).toEqual(voice);

    // A voice that is gone is unknown from the next turn on.
    await call('DELETE', `/${id}`);
    await stream.send({ text: 'Hallo.', flush: true });
    expect(await stream.until('error')).toMatchObject({ error_code: 'NOT_FOUND', code: 404 });
    stream.done();
    multi.done();
  });

  it('have a sample that plays and follows their changes', async () => {
    const { id, sample_url: first } = await created({ name: 'Nora', sample_text: 'One.' });
    const sample = async (url: string) => {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, type: response.headers.get('content-type'), size: bytes.length };
    };
    const wav = { status: 200, type: 'audio/wav', size: expect.any(Number) };
    const one = await sample(first);
    expect(one).toEqual(wav);
    const longer = { sample_text: 'One, two, three, four, five.' };
    const { sample_url: second } = (await call('PATCH', `/${id}`, longer)).body;
    expect(second).not.toBe(first);
    const two = await sample(second);
    expect(two).toEqual(wav);
    expect(two.size).toBeGreaterThan(one.size);
    await call('DELETE', `/${id}`);
    expect((await sample(second)).status).toBe(404);
    const { sample_url: next } = await created({ name: 'Nora', sample_text: 'A new voice.' });
    expect(await sample(next)).toEqual(wav);
    expect(engine.requests.at(-1)?.text).toBe('A new voice.');
  });
});

describe('VOICEWIRE_DATA', () => {
  it('keeps created voices over a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'voicewire-voices-'));
    const start = () =>
      startTestServer({ engine, state: openMemoryState(join(directory, 'data.json'), expect.fail) });
    await server.stop();
    server = await start();
    const { id } = await created(full);
    await call('POST', `/${id}/publish`);
    const row = async () => ({ ...(await call('GET', `/${id}`)).body, sample_url: '' });
    const before = await row();
    await server.stop();
    server = await start();
    expect(await row()).toEqual(before);
    expect((await created()).id).toBeGreaterThan(id);
    await server.stop();
    await rm(directory, { recursive: true });
    server = await startTestServer({ engine });
  });
});

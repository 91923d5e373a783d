import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { SocketClient } from '../socket-client.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

const GRACE = 'EXAVITQu4vr4xnSDxMaL';
const SPEECH = `/v1/text-to-speech/${GRACE}`;
const PCM = '?output_format=pcm_16000';
const TEXT = 'Hello from REST.';

const engine = createTestEngine();
let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer({ engine, clock: createFakeClock() });
});
afterAll(() => server.stop());

/** A body makes it a POST. */
const call = (path: string, body?: unknown, headers: Record<string, string> = { 'xi-api-key': 'local' }) =>
  fetch(`${server.http}/elevenlabs${path}`, {
    headers,
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
const read = async (path: string, body?: unknown, key = 'local') =>
  (await call(path, body, { 'xi-api-key': key })).json();

describe('catalogue', () => {
  it('lists all voices, and by pages in /v2', async () => {
    const { voices } = await read('/v1/voices');
    expect(voices.find((voice: { voice_id: string }) => voice.voice_id === GRACE)).toMatchObject({
      name: 'Sarah',
      category: 'premade',
      labels: { gender: 'female', age: 'young', language: 'en' },
      preview_url: `${server.http}/elevenlabs/v1/voices/${GRACE}/preview.wav`,
    });
    const ids: string[] = [];
    let token = '';
    do {
      const page = await read(`/v2/voices?page_size=20${token && `&next_page_token=${token}`}`);
      expect(page.total_count).toBe(voices.length);
      expect(page.has_more).toBe(page.next_page_token !== null);
      ids.push(...page.voices.map((voice: { voice_id: string }) => voice.voice_id));
      token = page.next_page_token;
    } while (token);
    expect(ids).toEqual(voices.map((voice: { voice_id: string }) => voice.voice_id));
    expect(new Set(ids.filter((id) => /^\w{20}$/.test(id))).size).toBe(voices.length);
    expect((await read('/v2/voices')).voices).toHaveLength(10);
    expect((await read('/v2/voices?search=marta')).total_count).toBe(1);
    expect((await read(`/v2/voices?voice_ids=${GRACE}`)).voices).toMatchObject([{ name: 'Sarah' }]);
  });

  it.each([
    ['Rachel', 'female', '21m00Tcm4TlvDq8ikWAM'],
    ['Adam', 'male', 'pNInz6obpgDQGcFmaJgB'],
    ['Nicole', 'female', 'piTKgcLEGmPE4e6mEKli'],
    ['Arnold', 'male', 'VR6AewLTigWG4xSOukaG'],
    ['River', 'neutral', 'SAz9YHcvj6GT2YYXdXww'],
  ])('the public voice %s is %s, found by its name, and speaks', async (name, gender, voice_id) => {
    expect((await read(`/v2/voices?search=${name}&page_size=100`)).voices).toContainEqual(
      expect.objectContaining({
        voice_id,
        name,
        labels: expect.objectContaining({ gender, language: 'en' }),
      }),
    );
    const answer = await call(`/v1/text-to-speech/${voice_id}${PCM}`, { text: TEXT });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  it('describes models and the subscription, whose count grows with what is spoken', async () => {
    const models = await read('/v1/models');
    expect(models).toContainEqual(
      expect.objectContaining({
        model_id: 'eleven_flash_v2_5',
        concurrency_group: 'turbo',
        maximum_text_length_per_request: 40_000,
        model_rates: { character_cost_multiplier: 0.5 },
      }),
    );
    const before = await read('/v1/user/subscription');
    const answer = await call(SPEECH + PCM, { text: TEXT, model_id: 'eleven_flash_v2_5' });
    expect(answer.headers.get('character-cost')).toBe('8');
    const after = await read('/v1/user/subscription');
    expect(after.character_count - before.character_count).toBe(8);
    await answer.body?.cancel();
  });

  it('a preview needs no key', async () => {
    const answer = await call(`/v1/voices/${GRACE}/preview.wav`, undefined, {});
    expect(answer.headers.get('content-type')).toBe('audio/wav');
  });
});

describe('speech', () => {
  const times = (object: { characters: string[]; character_end_times_seconds: number[] }) => [
    object.characters.join(''),
    object.character_end_times_seconds.at(-1),
  ];

  it.each(['', '/stream'])('%s is audio in the format of the address', async (path) => {
    const answer = await call(SPEECH + path + PCM, { text: TEXT, voice_settings: { stability: 1 } });
    expect(answer.headers.get('content-type')).toBe('audio/pcm');
    expect(answer.headers.get('request-id')).toMatch(/^[-0-9a-f]{36}$/);
    // 10 ms a character.
    expect((await answer.arrayBuffer()).byteLength).toBe(TEXT.length * 320);
    expect(engine.requests.at(-1)).toMatchObject({ variation: 0, sampleRate: 16_000 });
  });

  it('is MP3 where no format is named', async () => {
    const answer = await call(SPEECH, { text: TEXT });
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await answer.arrayBuffer()).readUInt16BE() & 0xffe0).toBe(0xffe0);
  });

  it('/with-timestamps is one object', async () => {
    const object = await read(`${SPEECH}/with-timestamps${PCM}`, { text: TEXT });
    expect(Buffer.from(object.audio_base64, 'base64')).toHaveLength(TEXT.length * 320);
    expect(times(object.alignment)).toEqual([TEXT, 0.16]);
    expect(times(object.normalized_alignment)).toEqual([` ${TEXT}`, 0.16]);
  });

  it('/stream/with-timestamps is an object a line, with times from the start', async () => {
    const text = 'One two three four five six seven eight nine ten. '.repeat(4).trim();
    const answer = await call(`${SPEECH}/stream/with-timestamps${PCM}`, { text });
    const lines = (await answer.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map(({ alignment }) => alignment.characters.join('')).join('')).toBe(text);
    const starts = lines.flatMap(({ alignment }) => alignment.character_start_times_seconds);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    expect(times(lines.at(-1).alignment)[1]).toBe(text.length / 100);
    const bytes = lines.reduce(
      (sum, { audio_base64 }) => sum + Buffer.from(audio_base64, 'base64').length,
      0,
    );
    expect(bytes).toBe(text.length * 320);
  });
});

describe('errors', () => {
  const body = { text: TEXT };
  it.each<[number, string, string, unknown, string]>([
    [401, 'invalid_api_key', '/v1/models', undefined, 'sk_x'],
    [401, 'needs_authorization', '/v1/models', undefined, ''],
    [400, 'invalid_api_key', '/v1/models', undefined, 'a'.repeat(32)],
    [401, 'quota_exceeded', SPEECH, body, 'local-no-credits'],
    [429, 'too_many_concurrent_requests', SPEECH, body, 'local-rate-limited'],
    [429, 'system_busy', SPEECH, body, 'local-busy'],
    [404, 'voice_not_found', '/v1/text-to-speech/nobody', body, 'local'],
    [400, 'model_not_found', SPEECH, { ...body, model_id: 'eleven_v9' }, 'local'],
    [400, 'max_character_limit_exceeded', SPEECH, { text: 'a'.repeat(10_001) }, 'local'],
  ])('%i %s', async (status, name, path, sent, key) => {
    const answer = await call(path, sent, { 'xi-api-key': key });
    const { detail } = await answer.json();
    expect([answer.status, detail.status, Object.keys(detail)]).toEqual([
      status,
      name,
      expect.arrayContaining(['type', 'code', 'status', 'message', 'request_id']),
    ]);
  });

  it.each<[string, string, unknown, (string | number)[][]]>([
    ['no text', SPEECH, {}, [['body', 'text']]],
    ['a body that is no object', SPEECH, [], [['body']]],
    [
      'settings out of range',
      SPEECH,
      { ...body, voice_settings: { speed: 3, style: 'x' } },
      [
        ['body', 'voice_settings', 'style'],
        ['body', 'voice_settings', 'speed'],
      ],
    ],
    [
      'a format that this server does not make',
      `${SPEECH}?output_format=opus_48000_64`,
      body,
      [['query', 'output_format']],
    ],
    ['an unknown format', `${SPEECH}?output_format=wav`, body, [['query', 'output_format']]],
    ['a page that is too long', '/v2/voices?page_size=101', undefined, [['query', 'page_size']]],
    ['an unknown page', '/v2/voices?next_page_token=x', undefined, [['query', 'next_page_token']]],
  ])('422 for %s, which names the field', async (_, path, sent, places) => {
    const answer = await call(path, sent);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toEqual({
      detail: places.map((loc) => ({ type: 'value_error', loc, msg: expect.any(String), input: null })),
    });
  });

  it.each(['eleven_v3', 'eleven_v3_conversational', 'eleven_v4', 'eleven_v4_turbo'])(
    '%s speaks in calls, and is listed',
    async (model_id) => {
      const answer = await call(SPEECH + PCM, { ...body, model_id });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
      expect(await read('/v1/models')).toContainEqual(expect.objectContaining({ model_id }));
    },
  );

  it('the account, and the settings of voices', async () => {
    const settings = { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1 };
    expect(await read('/v1/user')).toMatchObject({
      user_id: expect.any(String),
      subscription: await read('/v1/user/subscription'),
    });
    expect(await read('/v1/voices/settings/default')).toEqual(settings);
    expect(await read(`/v1/voices/${GRACE}/settings`)).toEqual(settings);
    expect((await call('/v1/voices/nobody/settings')).status).toBe(404);
    expect(await read(`/v1/voices/${GRACE}`)).toMatchObject({ settings });
    expect(await read(`/v1/voices/${GRACE}?with_settings=false`)).toMatchObject({ settings: null });
    const { voices } = await read('/v1/voices?with_settings=true');
    expect(voices[0]).toMatchObject({ settings });
  });

  it('a call that does not exist has a sentence alone', async () => {
    expect(await read('/v1/nothing')).toEqual({ detail: 'Not found' });
    expect(await read('/v1/models', {})).toEqual({ detail: 'Method Not Allowed' });
  });

  it('an engine that fails before any audio is an error 500, and costs nothing', async () => {
    const before = await read('/v1/user/subscription');
    engine.failNext();
    expect((await call(SPEECH, body)).status).toBe(500);
    expect(await read('/v1/user/subscription')).toEqual(before);
  });
});

it('local-unpriced has no cost', async () => {
  const answer = await call(SPEECH, { text: TEXT }, { 'xi-api-key': 'local-unpriced' });
  expect(answer.headers.has('character-cost')).toBe(false);
});

it('a page of another port may send xi-api-key', async () => {
  const answer = await fetch(`${server.http}/elevenlabs${SPEECH}`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'http://127.0.0.1:1234',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'xi-api-key, content-type',
    },
  });
  expect(answer.headers.get('access-control-allow-headers')).toContain('xi-api-key');
});

describe('sockets', () => {
  const path = (kind: string, query = '') =>
    `${server.ws}/elevenlabs/v1/text-to-speech/${GRACE}/${kind}?output_format=pcm_16000${query}`;

  it('a token of the REST API opens one', async () => {
    const { token } = await read('/v1/single-use-token/tts_websocket', {});
    expect(token).toMatch(/^sutkn_/);
    const client = new SocketClient(path('stream-input', `&single_use_token=${token}`));
    await client.send({ text: 'Hi.' }, { text: '' });
    await client.until('final');
    client.done();
  });

  it('Pipecat asks a multi socket to close', async () => {
    const client = new SocketClient(path('multi-stream-input', '&authorization=Bearer%20local'));
    await client.send({ text: 'Hi.', context_id: 'a' }, { close_socket: true });
    expect(await client.closed).toEqual({ code: 1000, reason: '' });
    expect(client.frames.at(-1)).toMatchObject({ isFinal: true, contextId: 'a' });
  });

  it('a model of another protocol is refused at the handshake', async () => {
    const socket = new WebSocket(path('stream-input', '&model_id=eleven_v3'));
    socket.on('error', () => {});
    const [, answer] = await once(socket, 'unexpected-response');
    expect(answer.statusCode).toBe(400);
    const [body] = await once(answer, 'data');
    expect(JSON.parse(String(body))).toMatchObject({
      detail: { code: 'unsupported_model', param: 'model_id' },
    });
    answer.destroy();
  });
});

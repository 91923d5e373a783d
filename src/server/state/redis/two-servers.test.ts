import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createKeys } from '../../keys.ts';
import { createLog } from '../../log.ts';
import { RealtimeClient } from '../../murmr/realtime-client.test-helper.ts';
import type { RunningServer } from '../../running-server.ts';
import { SocketClient } from '../../socket-client.test-helper.ts';
import { createTestEngine } from '../../test-engine.test-helper.ts';
import { startTestServer } from '../../test-server.test-helper.ts';
import { hasRedis, startRedis, type TestRedis } from './redis-server.test-helper.ts';
import { openRedisState } from './redis-state.ts';

const WITHIN = { timeout: 60_000, interval: 50 };
const CONFIG = { type: 'config', voice_description: 'calm', language: 'English' };
const SPEAK = [{ type: 'text', text: 'Hello there.' }, { type: 'flush' }];

let redis: TestRedis;
let one: RunningServer;
let two: RunningServer;

const start = async (): Promise<RunningServer> =>
  startTestServer({
    engine: createTestEngine(),
    keys: createKeys({ keys: ['mine'], only: false }),
    state: await openRedisState({ url: redis.url, log: createLog('silent') }),
  });

async function speaker(server: RunningServer, api_key: string): Promise<RealtimeClient> {
  const client = new RealtimeClient(server);
  await client.send({ ...CONFIG, api_key }, ...SPEAK);
  return client;
}

const kugel = async (server: RunningServer, method: string, path: string, body?: unknown) => {
  const headers = { Authorization: 'Bearer local', 'Content-Type': 'application/json' };
  const response = await fetch(`${server.http}/kugel/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};

const murmr = (server: RunningServer, path: string, body?: unknown): Promise<Response> =>
  fetch(`${server.http}/murmr/v1${path}`, {
    headers: { Authorization: 'Bearer mine', 'Content-Type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });

describe.skipIf(!hasRedis())('two servers with one Redis', () => {
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(async () => {
    [one, two] = [await start(), await start()];
  });
  afterEach(async () => {
    await Promise.all([one.stop(), two.stop()]);
    await redis.flush();
  });

  it('admit ten connections of a limited key together, and more once a server has ended', async () => {
    const speakers = (...servers: RunningServer[]) =>
      Promise.all(servers.map((server) => speaker(server, 'local-limited')));
    const first = await speakers(...Array(5).fill(one), ...Array(5).fill(two));
    await Promise.all(first.map((client) => client.until('done')));
    const [late] = await speakers(two);
    expect(await late?.closed).toEqual({ code: 4004, reason: 'RATE_LIMITED' });
    await one.stop();
    const moved = await speakers(...Array(5).fill(two));
    await Promise.all(moved.map((client) => client.until('done')));
    for (const client of [...first, ...moved]) client.done();
    one = await start();
  });

  it('share voices and dictionaries at once, also those of designed recordings', async () => {
    const { body: voice } = await kugel(one, 'POST', '/voices', { name: 'Nora' });
    const { body: dictionary } = await kugel(two, 'POST', '/dictionaries', { name: 'Names' });
    expect((await kugel(two, 'GET', `/voices/${voice.id}`)).body.name).toBe('Nora');
    const client = new SocketClient(`${two.ws}/kugel/ws/tts/stream?api_key=local`);
    const names = { project_id: 1, dictionary_ids: [dictionary.id] };
    await client.send({ voice_id: 'nora', ...names, text: 'Hello.', flush: true });
    await client.until('session_closed');
    // A session that is open learns of changes, too.
    await kugel(one, 'DELETE', `/dictionaries/${dictionary.id}`);
    await vi.waitFor(async () => {
      await client.send({ ...names, text: 'Hello.', flush: true });
      expect(client.of('error').length).toBeGreaterThan(0);
    }, WITHIN);
    client.done();

    const description = 'A deep old man';
    const designed = await murmr(one, '/voices/design', {
      text: 'This is my sample.',
      voice_description: description,
      response_format: 'wav',
    });
    const audio = Buffer.from(await designed.arrayBuffer()).toString('base64');
    const saved = { audio, ref_text: 'This is my sample.', name: 'Old', description: 'mine' };
    const { id } = await (await murmr(two, '/voices', saved)).json();
    const listed = await (await murmr(one, '/voices')).json();
    const { prompt_data } = listed.voices.find((each: { id: string }) => each.id === id);
    expect(Buffer.from(prompt_data, 'base64').toString()).toContain(description);
  });

  it('count the characters of a key together', async () => {
    const remaining = async (server: RunningServer) =>
      Number((await murmr(server, '/voices')).headers.get('x-ratelimit-remaining'));
    const before = await remaining(one);
    const call = { text: '0123456789', voice_description: 'calm', response_format: 'pcm' };
    for (const server of [one, two]) await (await murmr(server, '/voices/design', call)).arrayBuffer();
    await vi.waitFor(async () => expect(await remaining(two)).toBe(before - 20), WITHIN);
  });

  it('without Redis, open sessions go on, new ones and changes are refused, and all of it comes back', async () => {
    const open = await speaker(one, 'local-limited');
    await open.until('done');
    await redis.kill();
    await vi.waitFor(async () => {
      const ready = await fetch(`${one.http}/ready`);
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { status: 'unavailable', reason: 'Redis cannot be reached' },
      ]);
    }, WITHIN);
    await open.send(...SPEAK);
    await open.until('done', 2);

    const refused = new WebSocket(`${one.ws}/kugel/ws/tts/stream?api_key=local`);
    expect(String((await once(refused, 'close')).join(' '))).toBe('1013 connections cannot be counted now');
    const realtime = new RealtimeClient(one);
    expect(await realtime.closed).toEqual({ code: 4005, reason: 'SERVER_ERROR' });
    expect(realtime.received).toEqual([
      { type: 'error', message: 'Limits cannot be checked now, try again shortly', code: 4005 },
    ]);
    expect((await kugel(one, 'GET', '/voices')).status).toBe(200);
    const change = await kugel(one, 'POST', '/voices', { name: 'Nora' });
    expect([change.status, change.headers.get('retry-after')]).toEqual([503, '5']);
    expect((await fetch(`${one.http}/health`)).status).toBe(200);

    await redis.restart();
    await vi.waitFor(async () => expect((await fetch(`${one.http}/ready`)).status).toBe(200), WITHIN);
    expect((await kugel(one, 'POST', '/voices', { name: 'Nora' })).status).toBe(201);
    const next = await speaker(one, 'local-limited');
    await next.until('done');
    for (const client of [open, next]) client.done();
  });
});

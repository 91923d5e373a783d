import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { SocketClient } from '../socket-client.test-helper.ts';
import { createEspeakEngine } from '../speech/espeak/espeak-engine.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startCartesia } from './server.test-helper.ts';
import { audioOf, end, say } from './session-world.test-helper.ts';

type Server = Awaited<ReturnType<typeof startCartesia>>;

let clock: FakeClock;
let server: Server;
const clients: SocketClient[] = [];

beforeAll(async () => {
  clock = createFakeClock();
  server = await startCartesia(createTestEngine(), clock);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.done();
});
afterAll(() => server.stop());

const NEWEST = 'cartesia_version=2026-08-14';

function open(query: string, headers: Record<string, string> = {}, at: Server = server): SocketClient {
  const client = new SocketClient(`${at.ws}/cartesia/tts/websocket?${query}`, { headers });
  clients.push(client);
  return client;
}

/** Status, type and body of a refused handshake. */
async function refused(query: string, headers?: Record<string, string>) {
  const { socket } = open(query, headers);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return {
    status: response.statusCode,
    type: response.headers['content-type'],
    requestId: String(response.headers['x-request-id']),
    body: Buffer.concat(parts).toString(),
  };
}

describe('the handshake', () => {
  it.each<[string, string, Record<string, string>]>([
    ['cartesia-key-1 X-API-Key', '', { 'X-API-Key': 'local', 'Cartesia-Version': '2026-03-01' }],
    ['cartesia-key-1 a bearer', '', { Authorization: 'Bearer local', 'cartesia-version': '2026-08-14' }],
    ['cartesia-client-3 the version in the query', NEWEST, { 'X-API-Key': 'local' }],
    ['cartesia-client-6 both in the query', `api_key=local&${NEWEST}&cartesia_client=cartesia-js/4.2.0`, {}],
  ])('%s, and nothing is sent before the first request', async (_, query, headers) => {
    const client = open(query, headers);
    await once(client.socket, 'open');
    await client.send(say('c', 'Hi.', { continue: false, voice: voiceFor(headers) }));
    await client.until('done');
    expect(client.kinds()).toEqual(['chunk', 'done']);
  });

  const voiceFor = (headers: Record<string, string>) => {
    const id = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';
    return headers['Cartesia-Version'] === '2026-03-01' ? { mode: 'id', id } : id;
  };

  it('cartesia-key-2 a token, again and again until it expires', async () => {
    const answer = await fetch(`${server.http}/cartesia/access-token?${NEWEST}`, {
      method: 'POST',
      headers: { 'X-API-Key': 'local' },
      body: '{"grants": {"tts": true}, "expires_in": 300}',
    });
    const { token } = await answer.json();
    for (let time = 0; time < 2; time += 1) {
      await once(open(`access_token=${token}&${NEWEST}`).socket, 'open');
    }
    await clock.advance(300_000);
    expect((await refused(`access_token=${token}&${NEWEST}`)).status).toBe(401);
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ['cartesia-connect-5 no version', 'api_key=local', {}, 400, 'Invalid request: '],
    [
      'cartesia-connect-6 an unknown version',
      'api_key=local&cartesia_version=2020-01-01',
      {},
      404,
      'No API schema exists for the requested Cartesia-Version',
    ],
    ['cartesia-close-2 a wrong key', `api_key=wrong&${NEWEST}`, {}, 401, '"error_code":"unauthorized"'],
    ['no key', NEWEST, {}, 401, '"error_code":"unauthorized"'],
    [
      'cartesia-close-2 in the older form',
      'api_key=wrong&cartesia_version=2025-04-16',
      {},
      401,
      'Unauthorized: ',
    ],
    [
      'cartesia-key-5 two keys',
      `api_key=local&${NEWEST}`,
      { 'X-API-Key': 'other' },
      401,
      '"error_code":"unauthorized"',
    ],
    ['402', `api_key=local-no-credits&${NEWEST}`, {}, 402, '"error_code":"quota_exceeded"'],
    ['429', `api_key=local-rate-limited&${NEWEST}`, {}, 429, '"error_code":"concurrency_limited"'],
    ['503', `api_key=local-busy&${NEWEST}`, {}, 503, '"error_code":"service_unavailable"'],
  ])('refuses %s', async (_, query, headers, status, part) => {
    const answer = await refused(query, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toContain(part);
    if (part.startsWith('"')) expect(JSON.parse(answer.body).request_id).toBe(answer.requestId);
    expect(answer.type).toBe(part.startsWith('"') ? 'application/json' : 'text/plain; charset=utf-8');
  });

  it('cartesia-limit-2 refuses more sockets than ten for each unit of concurrency', async () => {
    const query = `api_key=local-limited&${NEWEST}`;
    const opened = Array.from({ length: 20 }, () => open(query));
    await Promise.all(opened.map(({ socket }) => once(socket, 'open')));
    expect((await refused(query)).status).toBe(429);
    const [first] = opened;
    first?.socket.close();
    await first?.closed;
    await once(open(query).socket, 'open');
  });
});

it('cartesia-client-7 an idle socket closes, and a new one speaks', async () => {
  const turn = async (client: SocketClient, id: string) => {
    await client.send(say(id, 'Hi.'), end(id));
    await client.until('done');
  };
  const client = open(`api_key=local&${NEWEST}`);
  await turn(client, 'a');
  await clock.advance(300_000);
  expect(await client.closed).toEqual({ code: 1000, reason: 'connection idle timeout' });
  await turn(open(`api_key=local&${NEWEST}`), 'b');
});

it('real speech: words in order over both sentences, within the audio', async () => {
  const engine = await createEspeakEngine({ threads: 1 });
  const real = await startCartesia(engine, createFakeClock());
  const client = open('cartesia_version=2025-04-16', { 'X-API-Key': 'local' }, real);
  const settings = {
    voice: { mode: 'id', id: 'f786b574-daa5-4673-aa0c-cbe3e8534c02' },
    max_buffer_delay_ms: 0,
    add_timestamps: true,
    language: null,
  };
  await client.send(
    say('c1', 'First sentence. ', settings),
    say('c1', 'And the second one. ', settings),
    say('c1', ' ', { ...settings, continue: false }),
  );
  await client.until('done');
  const lists = client
    .of('timestamps')
    .map(({ word_timestamps }) => word_timestamps as Record<string, number[]>);
  const starts = lists.flatMap(({ start = [] }) => start);
  const ends = lists.flatMap(({ end: at = [] }) => at);
  expect(lists.flatMap(({ words }) => words).join(' ')).toBe('First sentence. And the second one.');
  expect(starts.every((start, at) => start >= (ends[at - 1] ?? 0) && start <= (ends[at] ?? 0))).toBe(true);
  expect(ends.at(-1)).toBeLessThanOrEqual(audioOf(client.of('chunk')).length / 48_000);
  expect(client.kinds().filter((kind) => kind === 'flush_done')).toHaveLength(2);
  client.done();
  await real.stop();
  await engine.close();
});

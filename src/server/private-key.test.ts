import { once } from 'node:events';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '#lib/clock.ts';
import { handshakeOf } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { privateProtocols } from '#protocol/core/private-protocol.ts';
import { kugelStream } from '#protocol/kugel/endpoints.ts';
import { Capture } from './capture/capture.ts';
import { openCapturePage } from './capture/page.test-helper.ts';
import { createLog } from './log.ts';
import { startTestVendor, type TestVendor } from './relay/vendor.test-helper.ts';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** Keys that belong into a header. No endpoint has them yet, so one is changed. */

// Files of a thread share their modules, which are loaded again with the change, and again without it.
vi.hoisted(() => vi.resetModules());
vi.mock('#protocol/registry.ts', async (load) => {
  const { ENDPOINTS, ...registry } = await load<typeof import('#protocol/registry.ts')>();
  const changed = ENDPOINTS.map(
    (endpoint): Endpoint =>
      endpoint.id === kugelStream.id ? { ...endpoint, keyPlace: IN_HEADER } : endpoint,
  );
  const endpointNamed = (name: string) => changed.find(({ id }) => id === name) ?? null;
  return { ...registry, ENDPOINTS: changed, endpointNamed };
});
afterAll(() => {
  vi.doUnmock('#protocol/registry.ts');
  vi.resetModules();
});

const IN_HEADER = vi.hoisted(() => ({ in: 'header', name: 'Authorization', scheme: 'Bearer' }) as const);

const KEY = 'sk_canary/7Qx+42~';
const CODED = privateProtocols(KEY)[1]?.split('.').at(-1) ?? '';
const STREAM = '/kugel/ws/tts/stream';

let vendor: TestVendor;
let server: RunningServer;
let logged: string[];

beforeEach(async () => {
  logged = [];
  vendor = await startTestVendor();
  server = await startTestServer({
    engine: createTestEngine(),
    relays: { kugel: vendor.base, murmr: vendor.base },
    capture: new Capture(systemClock),
    log: createLog('trace', { write: (line) => logged.push(line) }),
  });
});
afterEach(async () => {
  await server.stop();
  await vendor.stop();
});

/** Opens the socket of a page. */
async function open(path: string, key: string, more: readonly string[] = []) {
  const page = { ...kugelStream, keyPlace: IN_HEADER };
  const { url, protocols } = handshakeOf(page, `${server.ws}${path}`, key);
  const socket = new WebSocket(url, [...more, ...protocols]);
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open'), once(socket, 'close')]);
  return socket;
}

it.each([
  ['local-no-credits', 'Insufficient credits'],
  ['unknown', 'API key'],
])('a local endpoint has the key %s from it, and selects the one that is no secret', async (key, said) => {
  const socket = await open(STREAM, key);
  expect(socket.protocol).toBe('voicewire');
  const [message] = await once(socket, 'message');
  expect(String(message)).toContain(said);
});

it('speaks with a good one', async () => {
  const socket = await open(STREAM, 'local');
  socket.send('{"text":"Good morning.","voice_id":1071,"flush":true}');
  const [message] = await once(socket, 'message');
  expect(JSON.parse(String(message))).toMatchObject({ generation_started: true });
  socket.terminate();
});

it.each([
  [[], undefined, 'voicewire'],
  [['known'], 'known', 'known'],
  [['other'], 'other', 'voicewire'],
])('the relay passes on the header, and of the subprotocols %j alone', async (more, passed, selected) => {
  const socket = await open(`/relay${STREAM}`, KEY, more);
  const headers = vendor.requests[0]?.headers;
  expect(headers?.authorization).toBe(`Bearer ${KEY}`);
  expect(headers?.['sec-websocket-protocol']).toBe(passed);
  expect(socket.protocol).toBe(selected);
});

it.each(['/relay/murmr/v1/realtime', '/relay/kugel/v1/other', '/relay/kugel/ws/tts/multi'])(
  'a key goes to no vendor that wants none in a header: %s',
  async (path) => {
    const socket = await open(path, KEY);
    expect(socket.protocol).toBe('voicewire');
    const { rawHeaders } = vendor.requests[0] ?? { rawHeaders: [] };
    expect(rawHeaders.join('\n')).not.toMatch(/authorization|voicewire/i);
  },
);

it.each([STREAM, '/kugel/v1/other'])(
  'is in no answer, capture or log, also where %s repeats it',
  async (path) => {
    const accepted = vendor.accepted();
    const socket = await open(`/relay${path}`, KEY);
    const far = await accepted;
    socket.send(JSON.stringify({ text: KEY }));
    await once(far, 'message');
    far.send(JSON.stringify({ error: `no such key: ${KEY}, ${CODED}` }));
    await once(socket, 'message');
    far.close(1008, 'no key');
    await once(socket, 'close');
    vendor.replies('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    const refused = new WebSocket(`${server.ws}/relay${path}`, [...privateProtocols(KEY)]);
    refused.on('error', () => {});
    const [, answer] = await once(refused, 'unexpected-response');
    expect(answer.statusCode).toBe(401);
    expect(answer.rawHeaders.join('\n')).not.toContain(CODED);
    refused.terminate();
    const page = await openCapturePage(server.http);
    const clients = await page.until(() => page.messages.find((message) => message.type === 'clients'));
    for (const { id } of clients.changed) page.watch(id);
    const ended = () => page.messages.filter((message) => message.type === 'entries' && message.isLast);
    await page.until(() => ended().length === 2 || undefined);
    page.socket.terminate();
    const seen = [...page.messages.map((message) => JSON.stringify(message)), ...logged];
    expect(seen.some((line) => line.includes('no such key'))).toBe(true);
    const plain = seen.filter((line) => [KEY, CODED].some((form) => line.includes(form)));
    expect(plain).toEqual([]);
  },
);

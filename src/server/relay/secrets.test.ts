import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { keylessAddress, programHandshakeOf } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import { openCapturePage } from '../capture/page.test-helper.ts';
import { createKeys } from '../keys.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startRelayTo, startTestServer } from '../test-server.test-helper.ts';

/** A key that looks different in an address, in JSON and in base64. */
const CANARY = 'ka_canary+42/Qx7"vK9"==';
/** One that may be a subprotocol. */
const TOKEN = 'ka_canary.42-Qx7vK9';
const FORMS = [
  TOKEN,
  CANARY,
  encodeURIComponent(CANARY),
  JSON.stringify(CANARY).slice(1, -1),
  Buffer.from(CANARY).toString('base64'),
];

const logged: string[] = [];
const log = createLog('trace', { write: (line) => logged.push(line) });
let vendor: RunningServer;
let relay: RunningServer;

beforeAll(async () => {
  const keys = createKeys({ keys: [CANARY, TOKEN], only: false });
  vendor = await startTestServer({ engine: createTestEngine(), keys, log });
  relay = await startRelayTo(vendor, { log });
});
afterAll(async () => {
  await relay.stop();
  await vendor.stop();
});

/** Everything that a page of the relay sees of its clients, once so many of them have ended. */
async function captured(count: number): Promise<string[]> {
  const page = await openCapturePage(relay.http.replace('/relay', ''));
  const { changed } = await page.until(() => page.messages.find((message) => message.type === 'clients'));
  for (const { id } of changed) page.watch(id);
  const ended = () => page.messages.filter((message) => message.type === 'entries' && message.isLast).length;
  await page.until(() => ended() === count || undefined);
  page.socket.terminate();
  return page.messages.map((message) => JSON.stringify(message));
}

/** Sends a key where the page of an endpoint sends it, and in a field that no endpoint knows. */
async function sendKey(endpoint: Endpoint): Promise<void> {
  const settings = { ...exampleVoice(endpoint), ...endpoint.initialSettings };
  const address = keylessAddress(endpoint, `${relay.ws}${endpoint.localPrefix}`, settings);
  const key = endpoint.keyPlace.in === 'subprotocol' ? TOKEN : CANARY;
  const { url, protocols, headers } = programHandshakeOf(endpoint, address, key);
  const socket = new WebSocket(url, [...protocols], { headers });
  await once(socket, 'open');
  const dialect = protocolOf(endpoint).open({ settings, key });
  const context = endpoint.contexts ? 'a' : ONLY_CONTEXT;
  const opens = endpoint.contexts ? { opens: exampleVoice(endpoint) } : {};
  const frames = [
    ...dialect.encode({ kind: 'open', settings }),
    ...dialect.encode({ kind: 'say', context, text: 'Good morning.', ...opens }),
    ...dialect.encode({ kind: endpoint.flushEndsTurn ? 'flush' : 'endTurn', context }),
    JSON.stringify({ note: key }),
  ];
  for (const frame of frames) socket.send(frame);
  // The vendor has got the key.
  await once(socket, 'message');
  socket.close(1000, key);
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
}

it('a key sent through the relay is in no capture and no log line', async () => {
  for (const endpoint of ENDPOINTS) await sendKey(endpoint);

  const query = new WebSocket(`${relay.ws}/kugel/ws/tts/stream?api_key=${encodeURIComponent(CANARY)}`);
  await once(query, 'open');
  query.send(JSON.stringify({ text: 'Good morning.', voice_id: 1071, flush: true }));
  query.send(JSON.stringify({ close_socket: true }));
  await once(query, 'close');

  const header = new WebSocket(`${relay.ws}/kugel/ws/tts/other`, {
    headers: { Authorization: `Bearer ${CANARY}` },
  });
  header.on('error', () => {});
  await once(header, 'unexpected-response');
  header.terminate();

  const subprotocol = new WebSocket(`${relay.ws}/kugel/ws/tts/multi?api_key=local`, ['token', TOKEN]);
  await once(subprotocol, 'open');
  subprotocol.send(JSON.stringify({ text: 7, note: TOKEN }));
  await once(subprotocol, 'message');
  subprotocol.close(1000, TOKEN);
  await once(subprotocol, 'close');

  const VOICE = '/elevenlabs/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/multi-stream-input';
  const close = { context_id: 'a', close_context: true };
  for (const [place, headers, fields] of [
    ['', { 'xi-api-key': CANARY }, {}],
    ['?authorization=', {}, {}],
    ['?single_use_token=', {}, {}],
    ['', {}, { xi_api_key: CANARY }],
    ['', {}, { 'xi-api-key': CANARY }],
    ['', {}, { authorization: `Bearer ${CANARY}` }],
  ] as const) {
    const query = place === '' ? '' : place + encodeURIComponent(CANARY);
    const contexts = new WebSocket(relay.ws + VOICE + query, { headers });
    await once(contexts, 'open');
    contexts.send(JSON.stringify({ text: '', context_id: 'a', ...fields }));
    contexts.send(JSON.stringify(close));
    // The vendor has got the key.
    expect(JSON.parse(String((await once(contexts, 'message'))[0]))).toMatchObject({ isFinal: true });
    contexts.close();
    await once(contexts, 'close');
  }
  const token = await fetch(`${relay.http}/elevenlabs/v1/single-use-token/tts_websocket`, {
    method: 'POST',
    headers: { 'xi-api-key': CANARY },
  });
  const made = (await token.json()).token;

  const granted = await fetch(`${relay.http}/deepgram/v1/auth/grant`, {
    method: 'POST',
    headers: { Authorization: `Token ${CANARY}` },
  });
  const { access_token: jwt } = await granted.json();
  const VERSION = 'cartesia_version=2026-08-14';
  const lent = await fetch(`${relay.http}/cartesia/access-token?${VERSION}`, {
    method: 'POST',
    headers: { 'X-API-Key': CANARY },
    body: JSON.stringify({ grants: { tts: true }, expires_in: 60 }),
  });
  const { token: short } = await lent.json();
  const AURA = '/deepgram/v1/speak?model=aura-2-thalia-en';
  const SONIC = `/cartesia/tts/websocket?${VERSION}`;
  for (const [path, secret, protocols, headers] of [
    [AURA, jwt, ['bearer', jwt], {}],
    [AURA, CANARY, [], { Authorization: `Token ${CANARY}` }],
    ['/deepgram/v2/speak?model=flux-alexis-en', jwt, [], { Authorization: `Bearer ${jwt}` }],
    [`${SONIC}&access_token=${short}`, short, [], {}],
    [SONIC, CANARY, [], { 'X-API-Key': CANARY }],
    [SONIC, short, [], { Authorization: `Bearer ${short}` }],
  ] as const) {
    const socket = new WebSocket(relay.ws + path, [...protocols], { headers });
    await once(socket, 'open');
    // Each vendor refuses it, and one repeats a part of it.
    socket.send(JSON.stringify({ type: 'Speak', text: 7, context_id: secret, note: secret }));
    await Promise.race([once(socket, 'close'), once(socket, 'message')]);
    socket.close(1000, secret.slice(0, 120));
    if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close');
  }
  for (const path of [AURA, SONIC]) {
    const refused = new WebSocket(relay.ws + path, ['bearer', `${TOKEN}-x`]);
    refused.on('error', () => {});
    await once(refused, 'unexpected-response');
    refused.terminate();
  }

  const call = await fetch(`${relay.http}/kugel/v1/voices?api_key=${encodeURIComponent(CANARY)}`);
  expect(call.status).toBe(200);

  const seen = [...(await captured(17 + ENDPOINTS.length)), ...logged];
  expect(seen.some((line) => line.includes('session_closed'))).toBe(true);
  expect(seen.some((line) => line.includes('refused with 404'))).toBe(true);
  expect(seen.filter((line) => [...FORMS, made, jwt, short].some((form) => line.includes(form)))).toEqual([]);
  // Known paths are captured under their endpoint, all others without one.
  const clients = seen.flatMap((line) =>
    [...line.matchAll(/"endpoint":"(.*?)"/g)].map(([, name = '']) => name),
  );
  const ofSockets = clients.filter((id) => !id.endsWith('-rest'));
  expect(new Set(ofSockets)).toEqual(new Set(['', ...ENDPOINTS.map(({ id }) => id)]));
});

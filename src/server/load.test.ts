import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFakeClock, type FakeClock, settle } from './fake-clock.test-helper.ts';
import type { RunningServer } from './running-server.ts';
import { KUGEL_ENDPOINTS, openClient, STREAM } from './socket-endpoints.test-helper.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** Many clients at once. Sockets, timers and syntheses are counted, because memory depends on what else runs. */

const SOCKETS = 48;

let clock: FakeClock;
let server: RunningServer;
let syntheses: number;

beforeEach(async () => {
  clock = createFakeClock();
  syntheses = 0;
  const engine = createTestEngine();
  server = await startTestServer({
    clock,
    engine: {
      ...engine,
      async *synthesize(request, signal) {
        syntheses += 1;
        try {
          yield* engine.synthesize(request, signal);
        } finally {
          syntheses -= 1;
        }
      },
    },
    limits: { sockets: SOCKETS, socketsOfOne: SOCKETS },
  });
});
afterEach(() => server.stop());

async function overHttp(text: string): Promise<void> {
  const response = await fetch(`${server.http}/kugel/v1/tts/generate`, {
    method: 'POST',
    headers: { 'X-API-Key': 'local' },
    body: JSON.stringify({ text, voice_id: 1072 }),
  });
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
}

async function overSocket(index: number): Promise<void> {
  const endpoint = KUGEL_ENDPOINTS[index % KUGEL_ENDPOINTS.length] ?? STREAM;
  const client = await openClient(server, endpoint);
  await client.send(...endpoint.turn(`Number ${index}.`));
  await client.until(endpoint.end);
  client.socket.close();
  await client.closed;
}

it('answers as many clients as have a place, and keeps nothing of them', async () => {
  const timers = clock.timers;
  for (let round = 0; round < 2; round += 1) {
    const indices = Array.from({ length: SOCKETS }, (_, index) => index);
    await Promise.all([
      ...indices.map(overSocket),
      ...indices.slice(0, SOCKETS / 2).map((index) => overHttp(`${index}.`)),
    ]);
    // The server sees a moment later that its clients have left.
    while (clock.timers > timers || syntheses > 0) await settle();
  }
});

it('serves others between the messages of a client that floods', async () => {
  const [flooding, other] = [await openClient(server, STREAM), await openClient(server, STREAM)];
  await other.send(STREAM.question);
  await other.until(STREAM.answer);
  const frames = 1000;
  await flooding.sendAtOnce(Array<string>(frames).fill('{"cancel":true}'));
  await other.send(STREAM.question);
  await other.until(STREAM.answer, 2);
  expect(flooding.of('interrupted').length).toBeLessThan(frames);
  await flooding.until('interrupted', frames);
  for (const client of [flooding, other]) client.done();
});

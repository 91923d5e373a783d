import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** A small size of the attack that ended the process with 83 connections and 340,000 frames each. */
const SOCKETS = 40;
const FRAMES = 20_000;
const MAX_GROWTH_BYTES = 80 * 1024 * 1024;

let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine() });
});
afterAll(() => server.stop());

/** A masked text frame of less than 126 bytes. The mask is zero. */
const frame = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);

/** Opens a socket, sends the frames and reads nothing but the answer to the upgrade. */
async function flood(path: string, first: string, repeated: string): Promise<Socket> {
  const { port, host } = new URL(server.http);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  socket.write(Buffer.concat([frame(first), ...Array<Buffer>(FRAMES).fill(frame(repeated))]));
  return socket;
}

it('serves others and keeps its memory while clients flood it and read nothing', async () => {
  const before = process.memoryUsage().rss;
  const floods = await Promise.all(
    Array.from({ length: SOCKETS }, (_, index) =>
      index % 2 === 0
        ? flood(
            '/murmr/v1/realtime',
            '{"type":"config","api_key":"local","voice_description":"calm"}',
            '{"type":"ping"}',
          )
        : flood('/kugel/ws/tts/stream?api_key=local', '{"voice_id":1071}', '{"cancel":true}'),
    ),
  );
  const client = new WebSocket(`${server.ws}/kugel/ws/tts?api_key=local`);
  await once(client, 'open');
  for (let turn = 0; turn < 20; turn += 1) {
    const ended = new Promise<void>((resolve) => {
      client.on('message', (message) => String(message).includes('"final"') && resolve());
    });
    client.send(JSON.stringify({ text: 'Hello', voice_id: 1071 }));
    await ended;
    client.removeAllListeners('message');
  }
  expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES);
  client.terminate();
  for (const socket of floods) socket.destroy();
});

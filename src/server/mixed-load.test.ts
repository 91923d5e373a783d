import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { heapBytes } from '#lib/testing/heap.ts';
import type { RunningServer } from './running-server.ts';
import { startTestServer } from './test-server.test-helper.ts';

const REQUESTS = 200;
/** Compiled code, and noise of the heap between two collections. */
const MAX_GROWTH_BYTES = 16 * 1024 * 1024;

let server: RunningServer;

beforeAll(async () => {
  // A capture keeps bodies, up to a bound of its own.
  server = await startTestServer({ capture: null });
}, 60_000);
afterAll(() => server.stop());

/** Sends one message and resolves with the frame that has the marker. */
async function overSocket(path: string, message: object, marker: string): Promise<boolean> {
  const socket = new WebSocket(`${server.ws}/kugel${path}?api_key=local`);
  await once(socket, 'open');
  const ended = new Promise<boolean>((resolve) => {
    socket.on('message', (data) => String(data).includes(`"${marker}"`) && resolve(true));
    socket.on('close', () => resolve(false));
  });
  socket.send(JSON.stringify(message));
  const isAnswered = await ended;
  socket.close();
  await once(socket, 'close');
  return isAnswered;
}

async function overHttp(text: string): Promise<boolean> {
  const response = await fetch(`${server.http}/kugel/v1/tts/generate`, {
    method: 'POST',
    headers: { 'X-API-Key': 'local' },
    body: JSON.stringify({ text, voice_id: 1072 }),
  });
  return response.ok && (await response.arrayBuffer()).byteLength > 0;
}

const ask = (index: number): Promise<boolean> => {
  const text = `Number ${index}.`;
  const kinds = [
    () => overSocket('/ws/tts', { text, voice_id: 1071 }, 'final'),
    () => overHttp(text),
    () => overSocket('/ws/tts/stream', { text, voice_id: 1071, flush: true }, 'session_closed'),
  ];
  return kinds[index % kinds.length]?.() ?? Promise.resolve(false);
};

const askAll = () => Promise.all(Array.from({ length: REQUESTS }, (_, index) => ask(index)));

it('answers 200 mixed requests at once, and its memory returns to where it was', async () => {
  const before = heapBytes();
  for (let round = 0; round < 2; round += 1) expect(await askAll()).toEqual(Array(REQUESTS).fill(true));
  // What the last connections held goes a moment after their answers.
  await expect.poll(() => heapBytes() - before, { timeout: 10_000 }).toBeLessThan(MAX_GROWTH_BYTES);
}, 120_000);

import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_REFERENCE_CHARS, REFERENCE_PATH, referenceSchema } from '#protocol/reference-messages.ts';
import { createLog } from './log.ts';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const engine = createTestEngine();
let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer({ engine });
});
afterAll(() => server.stop());

const ask = (body: unknown, { to = server.http, origin = '', method = 'POST' } = {}) =>
  fetch(to + REFERENCE_PATH, {
    method,
    headers: { origin: origin || to },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  });

const request = (text: string) => ({ text, language: 'en' });

it('answers its own page with the speech of a text and the time of each word', async () => {
  const answer = await ask(request('Good morning.'));
  expect(answer.status).toBe(200);
  const { words, samples } = referenceSchema.parse(await answer.json());
  expect(words.map(({ charStart, charEnd }) => [charStart, charEnd])).toEqual([
    [0, 4],
    [5, 12],
  ]);
  expect(samples.length).toBeGreaterThan(100);
});

it('refuses other pages, methods and bodies, and where it has no espeak', async () => {
  expect((await ask(request('Hi.'), { origin: 'http://evil.example' })).status).toBe(403);
  expect((await ask(null, { method: 'PUT' })).status).toBe(405);
  expect((await ask({ text: 3 })).status).toBe(400);
  expect((await ask(request('a'.repeat(MAX_REFERENCE_CHARS + 1)))).status).toBe(400);
  expect((await ask(request('a'.repeat(10_000)))).status).toBe(413);
  const silent = await startTestServer({ engine: createTestEngine(), espeak: null });
  try {
    const answer = await fetch(silent.http + REFERENCE_PATH, {
      method: 'POST',
      headers: { origin: silent.http },
      body: JSON.stringify(request('Hi.')),
    });
    expect(answer.status).toBe(501);
  } finally {
    await silent.stop();
  }
});

it('lets 16 texts wait, and refuses more until some are spoken', async () => {
  engine.hold();
  const statuses: number[] = [];
  const asked = Array.from({ length: 30 }, async (_, at) => {
    statuses.push((await ask(request(`Text ${at}.`))).status);
  });
  await expect.poll(() => statuses).toEqual(Array(12).fill(503));
  engine.release();
  await Promise.all(asked);
  expect(statuses.slice(12)).toEqual(Array(18).fill(200));
});

it('refuses a text that is spoken while the server stops, without a log', async () => {
  const lines: string[] = [];
  const log = createLog('error', { write: (line) => lines.push(line) });
  const held = createTestEngine();
  held.hold();
  const stopping = await startTestServer({ engine: held, log });
  const answer = ask(request('Hi.'), { to: stopping.http });
  await expect.poll(() => held.requests.length).toBe(1);
  await stopping.stop();
  expect((await answer).status).toBe(503);
  expect(lines).toEqual([]);
});

it('writes no log about a client that leaves in the middle of its text', async () => {
  const lines: string[] = [];
  const log = createLog('error', { write: (line) => lines.push(line) });
  const left = await startTestServer({ engine: createTestEngine(), log });
  const headers = { origin: left.http, 'Content-Length': 100 };
  const leaving = httpRequest(left.http + REFERENCE_PATH, { method: 'POST', headers });
  leaving.on('error', () => {}).write('{');
  await once(leaving, 'socket').then(([socket]) => once(socket, 'connect'));
  // The answer to another client shows that the first one was read.
  await ask(request('Hi.'), { to: left.http });
  leaving.destroy();
  await ask(request('Hello.'), { to: left.http });
  await left.stop();
  expect(lines).toEqual([]);
});

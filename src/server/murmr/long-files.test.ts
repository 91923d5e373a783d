import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { UnreadFiles } from '../answers/file-body.ts';
import { UNREAD_MS } from '../answers/watched-body.ts';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { type Engine, ORDINARY_SPEECH } from '../speech/engine.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { createRecorder } from './recorder.ts';

/** Speaks a minute for each character. */
const engine: Engine = {
  async *synthesize({ text }) {
    for (const _ of text) {
      await new Promise(setImmediate);
      yield { samples: new Int16Array(60 * 24_000), words: [] };
    }
  },
  close: async () => {},
};
const MINUTE_BYTES = 60 * 48_000;

let server: RunningServer;
let clock: FakeClock;
const logged: string[] = [];

beforeAll(async () => {
  clock = createFakeClock();
  const log = createLog('info', { write: (line) => logged.push(line) });
  server = await startTestServer({ engine, clock, log });
});
afterAll(() => server.stop());
beforeEach(() => {
  logged.length = 0;
});

const SPEECH = { voice: 'voice_7c1e09d4ab35', response_format: 'pcm' };
const HEADERS = { Authorization: 'Bearer local' };
const speak = (body: object) =>
  fetch(`${server.http}/murmr/v1/audio/speech`, {
    method: 'POST',
    headers: HEADERS,
    body: JSON.stringify({ ...SPEECH, ...body }),
  });
const TOO_LONG = 'text is too long to be spoken in one file: expected at most 20 minutes of speech';

it('a file has at most 20 minutes', async () => {
  const longest = await speak({ text: 'x'.repeat(20) });
  expect((await longest.arrayBuffer()).byteLength).toBe(20 * MINUTE_BYTES);
  const longer = await speak({ text: 'x'.repeat(21) });
  expect(longer.status).toBe(400);
  expect(await longer.json()).toEqual({ error: TOO_LONG });
  expect(logged).toEqual([]);
});

it('a job that would be longer fails and says why', async () => {
  const { id } = await (await speak({ text: 'x'.repeat(21), webhook_url: 'https://example.com/' })).json();
  const poll = async () => (await fetch(`${server.http}/murmr/v1/jobs/${id}`, { headers: HEADERS })).json();
  let job = await poll();
  while (job.status === 'queued' || job.status === 'processing') job = await poll();
  expect(job).toMatchObject({ status: 'failed', error: TOO_LONG });
  expect(logged).toEqual([]);
});

it('a client that does not read its file is cut', async () => {
  const sent = request(`${server.http}/murmr/v1/audio/speech`, { method: 'POST', headers: HEADERS });
  sent.on('error', () => {});
  sent.end(JSON.stringify({ ...SPEECH, text: 'x'.repeat(15) }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  while (logged.length === 0) await clock.advance(UNREAD_MS);
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'answer cut' }]);
  response.resume();
  await new Promise((resolve) => response.once('close', resolve));
  expect(response.complete).toBe(false);
});

it('no file is made while too many bytes are unread', async () => {
  const unread = new UnreadFiles(1);
  const testEngine = createTestEngine();
  const recorder = createRecorder(testEngine, clock, unread);
  const remove = unread.add(new Uint8Array(1));
  const [voice] = VOICES;
  if (!voice) throw new Error('there are voices');
  const speech = { ...ORDINARY_SPEECH, text: 'Hello', voice, session: 's' };
  const recorded = recorder({ speech, format: 'pcm', signal: new AbortController().signal });
  await settle();
  expect(testEngine.requests).toEqual([]);
  remove();
  expect((await recorded).durationMs).toBe(50);
});

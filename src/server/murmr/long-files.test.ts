import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileMemory } from '../answers/file-body.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { type Engine, ORDINARY_SPEECH } from '../speech/engine.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { createRecorder } from './jobs.ts';
import { type RestWorld, startRestWorld } from './rest-client.test-helper.ts';

/** Speaks a minute for each character. */
const engine: Engine = {
  async *synthesize({ text, sampleRate }) {
    const samples = new Int16Array(60 * sampleRate);
    for (const _ of text) {
      await new Promise(setImmediate);
      yield { samples, words: [] };
    }
  },
  close: async () => {},
};
const TOO_LONG = 'text is too long to be spoken in one file: expected at most 20 minutes of speech';

let world: RestWorld;

beforeAll(async () => {
  world = await startRestWorld({ engine });
});
afterAll(() => world.server.stop());

const speak = (body: object) =>
  world.call('/v1/audio/speech', { voice: 'voice_7c1e09d4ab35', response_format: 'pcm', ...body });
const PEER = ['address 1'];
const record = (text: string, files = new FileMemory()) =>
  createRecorder(
    engine,
    createFakeClock(),
    files,
  )({
    speech: { ...ORDINARY_SPEECH, sampleRate: 8000, text, voice: VOICES[0], session: 's' },
    format: 'pcm',
    peer: PEER,
    signal: new AbortController().signal,
  });

it('a file has at most 20 minutes', async () => {
  expect((await record('x'.repeat(20))).durationMs).toBe(20 * 60_000);
  const longer = await speak({ text: 'x'.repeat(21) });
  expect([longer.status, await longer.json()]).toEqual([400, { error: TOO_LONG }]);
  expect(world.logged).toEqual([]);
});

it('a job that would be longer fails and says why', async () => {
  const { id } = await (await speak({ text: 'x'.repeat(21), webhook_url: 'https://example.com/' })).json();
  const poll = async () => (await world.call(`/v1/jobs/${id}`)).json();
  let job = await poll();
  while (job.status === 'queued' || job.status === 'processing') job = await poll();
  expect(job).toMatchObject({ status: 'failed', error: TOO_LONG });
  expect(world.logged).toEqual([]);
});

it('a client that does not read its file is cut', async () => {
  const response = await speak({ text: 'x'.repeat(15) });
  while (world.logged.length === 0) await world.clock.advance(300_000);
  expect(world.logged).toEqual(['answer cut']);
  await expect(response.arrayBuffer()).rejects.toThrow();
});

it('no file is made while too many bytes are unread', async () => {
  const files = new FileMemory(1);
  const { release: read } = files.hold(PEER, 1, () => {});
  let isMade = false;
  const recorded = record('x', files).then(() => {
    isMade = true;
  });
  await settle();
  expect(isMade).toBe(false);
  read();
  await recorded;
});

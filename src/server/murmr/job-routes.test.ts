import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { MAX_REQUESTS_PER_KEY } from './access.ts';
import { JOB_LIMITS, JOB_MS } from './jobs.ts';
import { type RestWorld, startRestWorld } from './rest-client.test-helper.ts';

let world: RestWorld;
let call: RestWorld['call'];

beforeAll(async () => {
  world = await startRestWorld();
  call = world.call;
});
afterAll(() => world.server.stop());
beforeEach(() => world.engine.release());

/** Request of `async-jobs.md`, with a voice of this server. */
const REQUEST = {
  text: 'Text to synthesize...',
  voice: 'voice_7c1e09d4ab35',
  response_format: 'wav',
  webhook_url: 'https://your-server.com/webhooks/tts',
};
const CREATED_AT = '1970-01-01T00:00:00.000Z';

it('7 a webhook makes a job: 202, and its states until the audio is there', async () => {
  world.engine.hold();
  const response = await call('/v1/audio/speech', REQUEST);
  expect(response.status).toBe(202);
  const { id, ...job } = await response.json();
  expect(id).toMatch(/^job_[a-f0-9]{16}$/);
  expect(job).toEqual({ status: 'queued', created_at: CREATED_AT });
  const processing = await call(`/v1/jobs/${id}`);
  expect(processing.status).toBe(200);
  expect(await processing.json()).toEqual({ id, status: 'processing', created_at: CREATED_AT });
  world.engine.release();
  await world.running(0);
  await settle();
  const completed = await call(`/v1/jobs/${id}`);
  expect(completed.status).toBe(200);
  expect(Object.fromEntries(completed.headers)).toMatchObject({
    'content-type': 'audio/wav',
    'x-audio-duration-ms': '210',
    'x-total-time-ms': '0',
  });
  const audio = Buffer.from(await completed.arrayBuffer());
  expect(audio.length).toBe(44 + 210 * 48);

  const sdk = await call(`/v1/jobs/${id}`, undefined, { Accept: 'application/json' });
  expect(await sdk.json()).toEqual({
    id,
    status: 'completed',
    created_at: CREATED_AT,
    completed_at: CREATED_AT,
    duration_ms: 210,
    total_time_ms: 0,
    error: null,
    audio_base64: audio.toString('base64'),
    content_type: 'audio/wav',
    response_format: 'wav',
  });
});

it('7 a failed job says so', async () => {
  world.engine.failNext();
  const { id } = await (await call('/v1/audio/speech', REQUEST)).json();
  await settle();
  const failed = await call(`/v1/jobs/${id}`);
  expect(failed.status).toBe(200);
  expect(await failed.json()).toEqual({
    id,
    status: 'failed',
    error: expect.any(String),
    created_at: CREATED_AT,
  });
});

it('7 404 for a job that is unknown, of another key, or older than a day', async () => {
  const { id } = await (await call('/v1/audio/speech', REQUEST)).json();
  await settle();
  const found = async (path: string, key: string) =>
    (await call(path, undefined, { Authorization: `Bearer ${key}` })).status;
  expect(await found(`/v1/jobs/${id}`, 'local')).toBe(200);
  expect(await found(`/v1/jobs/${id}`, 'local-limited')).toBe(404);
  expect(await found('/v1/jobs/job_0123456789abcdef', 'local')).toBe(404);
  expect(await found('/v1/jobs/nonsense', 'local')).toBe(404);
  await world.clock.advance(JOB_MS);
  expect(await found(`/v1/jobs/${id}`, 'local')).toBe(404);
});

it('7 an unfinished job of a limited key takes one of its places', async () => {
  const asLimited = () => call('/v1/audio/speech', REQUEST, { Authorization: 'Bearer local-limited' });
  world.engine.hold();
  for (let count = 0; count < MAX_REQUESTS_PER_KEY; count += 1) expect((await asLimited()).status).toBe(202);
  const refused = await asLimited();
  expect(refused.status).toBe(429);
  expect((await refused.json()).error).toMatchObject({ concurrent_limit: 10, concurrent_active: 10 });
  world.engine.release();
  await settle();
  expect((await asLimited()).status).toBe(202);
  await settle();
});

it('a job that is not accepted costs no quota and no place', async () => {
  const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));
  world.engine.hold();
  const unfinished = Array.from({ length: JOB_LIMITS.unfinished }, () => call('/v1/audio/speech', REQUEST));
  await Promise.all(unfinished);
  const before = remaining(await call('/v1/voices'));
  const refused = await call('/v1/audio/speech', REQUEST);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(remaining(refused)).toBe(before);
  for (let count = 0; count < 2 * MAX_REQUESTS_PER_KEY; count += 1) {
    const limited = await call('/v1/audio/speech', REQUEST, { Authorization: 'Bearer local-limited' });
    expect(await limited.json()).toEqual({ error: 'Server busy, please retry' });
  }
  world.engine.release();
  await world.running(0);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FileMemory } from '../answers/file-body.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { ORDINARY_SPEECH } from '../speech/engine.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { createRecorder, Jobs } from './jobs.ts';
import { type RestWorld, startRestWorld } from './rest-client.test-helper.ts';

describe('jobs over REST', () => {
  let world: RestWorld;

  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.server.stop());
  beforeEach(() => world.engine.release());

  /** A request of the vendor's page, with a voice of this server. */
  const REQUEST = {
    text: 'Text to synthesize...',
    voice: 'voice_7c1e09d4ab35',
    response_format: 'wav',
    webhook_url: 'https://your-server.com/webhooks/tts',
  };
  const created_at = '1970-01-01T00:00:00.000Z';
  const submit = (key = 'local') =>
    world.call('/v1/audio/speech', REQUEST, { Authorization: `Bearer ${key}` });
  const find = (id: string, headers = {}) => world.call(`/v1/jobs/${id}`, undefined, headers);

  it('a webhook makes a job: 202, and its states until the audio is there', async () => {
    world.engine.hold();
    const response = await submit();
    expect(response.status).toBe(202);
    const { id, ...job } = await response.json();
    expect(id).toMatch(/^job_[a-f0-9]{16}$/);
    expect(job).toEqual({ status: 'queued', created_at });
    const processing = await find(id);
    expect([processing.status, await processing.json()]).toEqual([
      200,
      { id, status: 'processing', created_at },
    ]);
    world.engine.release();
    await world.running(0);
    await settle();
    const completed = await find(id);
    expect(completed.status).toBe(200);
    expect(Object.fromEntries(completed.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'x-audio-duration-ms': '210',
      'x-total-time-ms': '0',
    });
    const audio = Buffer.from(await completed.arrayBuffer());
    expect(audio.length).toBe(44 + 210 * 48);
    // The form that the SDK reads.
    expect(await (await find(id, { Accept: 'application/json' })).json()).toEqual({
      id,
      status: 'completed',
      created_at,
      completed_at: created_at,
      duration_ms: 210,
      total_time_ms: 0,
      error: null,
      audio_base64: audio.toString('base64'),
      content_type: 'audio/wav',
      response_format: 'wav',
    });
  });

  it('a failed synthesis fails its job alone, which says so', async () => {
    world.engine.failNext();
    const { id } = await (await submit()).json();
    const { id: next } = await (await submit()).json();
    await world.running(0);
    await settle();
    const failed = await find(id);
    expect(failed.status).toBe(200);
    const error = 'Speech generation failed';
    expect(await failed.json()).toEqual({ id, status: 'failed', error, created_at });
    expect((await find(next)).headers.get('content-type')).toBe('audio/wav');
    expect(world.logged).toEqual(['job failed']);
  });

  it('404 for a job that is unknown or of another key', async () => {
    const { id } = await (await submit()).json();
    for (const [job, key, status] of [
      [id, 'local', 200],
      [id, 'local-limited', 404],
      ['job_0123456789abcdef', 'local', 404],
      ['nonsense', 'local', 404],
    ]) {
      const response = await find(job, { Authorization: `Bearer ${key}` });
      expect(response.status).toBe(status);
      await response.arrayBuffer();
    }
    await world.running(0);
  });

  it('unfinished jobs take places of a limited key; a job that is not accepted costs no place and no quota', async () => {
    const remaining = (response: Response) => Number(response.headers.get('x-ratelimit-remaining'));
    world.engine.hold();
    for (let count = 0; count < 10; count += 1) expect((await submit('local-limited')).status).toBe(202);
    const eleventh = await submit('local-limited');
    expect(eleventh.status).toBe(429);
    expect((await eleventh.json()).error).toMatchObject({ concurrent_limit: 10, concurrent_active: 10 });
    world.engine.release();
    await world.running(0);
    await settle();

    world.engine.hold();
    const unspent = remaining(await world.call('/v1/voices'));
    await Promise.all(Array.from({ length: 100 }, () => submit()));
    const before = remaining(await world.call('/v1/voices'));
    expect(unspent - before).toBe(100 * REQUEST.text.length);
    const refused = await submit();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(remaining(refused)).toBe(before);
    for (let count = 0; count < 11; count += 1) {
      expect(await (await submit('local-limited')).json()).toEqual({ error: 'Server busy, please retry' });
    }
    world.engine.release();
    await world.running(0);
  });
});

describe('the store of jobs', () => {
  const [voice] = VOICES;
  /** 100 ms, which are 4800 bytes. */
  const REQUEST = { speech: { ...ORDINARY_SPEECH, text: 'x'.repeat(10), voice }, format: 'pcm' } as const;

  function createJobs(limits: { jobs?: number; audioBytes?: number } = {}) {
    const engine = createTestEngine();
    const clock = createFakeClock();
    const failures: unknown[] = [];
    const draining = new AbortController();
    const jobs = new Jobs({
      clock,
      recorder: createRecorder(engine, clock, new FileMemory()),
      failed: (error) => failures.push(error),
      draining: draining.signal,
      limits,
    });
    const submit = (peer = ['address 1']) => jobs.submit('mine', { ...REQUEST, peer })?.id ?? '';
    const stateOf = (id: string) => jobs.find('mine', id)?.state;
    const status = (id: string) => stateOf(id)?.status;
    /** So many jobs, each after the one before. */
    const submitEach = async (count: number) => {
      const ids: string[] = [];
      for (let made = 0; made < count; made += 1) {
        ids.push(submit());
        await settle();
      }
      return ids;
    };
    return { engine, clock, failures, draining, submit, submitEach, stateOf, status };
  }

  it('processes eight jobs at a time', async () => {
    const { engine, submit, status } = createJobs();
    engine.hold();
    const ids = Array.from({ length: 9 }, () => submit());
    await settle();
    expect(ids.map(status)).toEqual([...Array(8).fill('processing'), 'queued']);
    engine.release();
    await settle();
    expect(ids.map(status)).toEqual(Array(9).fill('completed'));
  });

  it('a job expires after 24 hours', async () => {
    const { clock, submit, status } = createJobs();
    const early = submit();
    await clock.advance(1000);
    const late = submit();
    await clock.advance(24 * 60 * 60 * 1000 - 1001);
    expect([early, late].map(status)).toEqual(['completed', 'completed']);
    await clock.advance(1);
    expect([early, late].map(status)).toEqual([undefined, 'completed']);
  });

  it('evicts the oldest audio beyond the limit of bytes', async () => {
    const { submitEach, stateOf } = createJobs({ audioBytes: 3 * 4800 });
    const hasAudio = (await submitEach(5)).map((id) => {
      const state = stateOf(id);
      return state?.status === 'completed' && state.recorded !== null;
    });
    expect(hasAudio).toEqual([false, false, true, true, true]);
  });

  it('forgets the oldest finished jobs beyond the limit of jobs', async () => {
    const { submitEach, status } = createJobs({ jobs: 2 });
    expect((await submitEach(4)).map(status)).toEqual([undefined, undefined, 'completed', 'completed']);
  });

  describe('of another peer', () => {
    const [good, hostile] = [['address good'], ['address hostile']];

    it('stay, and are taken, however many a peer submits', async () => {
      const { engine, submit, status } = createJobs();
      engine.hold();
      const first = submit(good);
      const theirs = Array.from({ length: 200 }, () => submit(hostile));
      expect(theirs.filter((id) => id !== '')).toHaveLength(99);
      const second = submit(good);
      await settle();
      expect([first, second].map(status)).toEqual(['processing', 'processing']);
      expect(theirs.map(status).filter((each) => each === 'failed')).toEqual(['failed']);
      engine.release();
      await settle();
      expect([first, second].map(status)).toEqual(['completed', 'completed']);
    });

    it('keep their audio and their place', async () => {
      const { submit, stateOf } = createJobs({ audioBytes: 3 * 4800, jobs: 4 });
      const mine = submit(good);
      for (let made = 0; made < 10; made += 1) {
        await settle();
        submit(hostile);
      }
      await settle();
      expect(stateOf(mine)).toMatchObject({ status: 'completed', recorded: { durationMs: 100 } });
    });
  });

  it('ends its jobs when the server shuts down', async () => {
    const { engine, draining, submit, status, failures } = createJobs();
    engine.hold();
    const ids = Array.from({ length: 10 }, () => submit());
    await settle();
    draining.abort();
    await settle();
    expect(ids.map(status)).toEqual(Array(10).fill('failed'));
    expect(failures).toEqual([]);
  });
});

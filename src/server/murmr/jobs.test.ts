import { expect, it } from 'vitest';
import { UnreadFiles } from '../answers/file-body.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import { ORDINARY_SPEECH } from '../speech/engine.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { JOB_LIMITS, JOB_MS, Jobs } from './jobs.ts';
import { createRecorder } from './recorder.ts';

const [voice] = VOICES;
if (!voice) throw new Error('there are voices');
/** 100 ms, which are 4800 bytes. */
const REQUEST = { speech: { ...ORDINARY_SPEECH, text: 'x'.repeat(10), voice }, format: 'pcm' } as const;

function createJobs(limits: Partial<typeof JOB_LIMITS> = {}) {
  const engine = createTestEngine();
  const clock = createFakeClock();
  const failures: unknown[] = [];
  const jobs = new Jobs({
    clock,
    recorder: createRecorder(engine, clock, new UnreadFiles()),
    failed: (error) => failures.push(error),
    limits: { ...JOB_LIMITS, ...limits },
  });
  const submit = (key = 'mine') => jobs.submit(key, REQUEST)?.id ?? '';
  const status = (id: string) => jobs.find('mine', id)?.state.status;
  return { engine, clock, failures, jobs, submit, status };
}

it('7 a job is queued, then processed, then completed', async () => {
  const { engine, submit, status } = createJobs();
  engine.hold();
  const running = Array.from({ length: 8 }, () => submit());
  const waiting = submit();
  await settle();
  expect([...running.map(status), status(waiting)]).toEqual([...Array(8).fill('processing'), 'queued']);
  engine.release();
  await settle();
  expect([...running, waiting].map(status)).toEqual(Array(9).fill('completed'));
});

it('7 a failed synthesis fails its job alone', async () => {
  const { engine, jobs, submit, status, failures } = createJobs();
  engine.failNext();
  const [first, second] = [submit(), submit()];
  await settle();
  expect(jobs.find('mine', first)?.state).toEqual({ status: 'failed', error: expect.any(String) });
  expect(status(second)).toBe('completed');
  expect(failures).toHaveLength(1);
});

it('7 a job is seen by its own key alone', async () => {
  const { jobs, submit } = createJobs();
  const id = submit();
  expect(id).toMatch(/^job_[0-9a-f]{16}$/);
  expect(jobs.find('mine', id)).toBeDefined();
  expect(jobs.find('theirs', id)).toBeUndefined();
});

it('7 a job expires after 24 hours', async () => {
  const { clock, submit, status } = createJobs();
  const early = submit();
  await clock.advance(1000);
  const late = submit();
  await clock.advance(JOB_MS - 1001);
  expect([early, late].map(status)).toEqual(['completed', 'completed']);
  await clock.advance(1);
  expect([early, late].map(status)).toEqual([undefined, 'completed']);
});

it('evicts the oldest audio beyond the limit of bytes', async () => {
  const { jobs, submit } = createJobs({ audioBytes: 3 * 4800 });
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.push(submit());
    await settle();
  }
  const hasAudio = ids.map((id) => {
    const state = jobs.find('mine', id)?.state;
    return state?.status === 'completed' && state.recorded !== null;
  });
  expect(hasAudio).toEqual([false, false, true, true, true]);
});

it('forgets the oldest finished jobs beyond the limit of jobs', async () => {
  const { submit, status } = createJobs({ jobs: 2 });
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    ids.push(submit());
    await settle();
  }
  expect(ids.map(status)).toEqual([undefined, undefined, 'completed', 'completed']);
});

it('accepts no more while too many are unfinished', async () => {
  const { engine, jobs, submit } = createJobs({ unfinished: 2 });
  engine.hold();
  submit();
  submit();
  expect(jobs.submit('mine', REQUEST)).toBeNull();
  engine.release();
  await settle();
  expect(jobs.submit('mine', REQUEST)).not.toBeNull();
});

it('ends its jobs when the server shuts down', async () => {
  const { engine, jobs, submit, status, failures } = createJobs();
  engine.hold();
  const ids = Array.from({ length: 10 }, () => submit());
  await settle();
  jobs.close();
  await settle();
  expect(ids.map(status)).toEqual(Array(10).fill('failed'));
  expect(failures).toEqual([]);
});

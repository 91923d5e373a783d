import { afterEach, describe, expect, it, vi } from 'vitest';
import { ORDINARY_SPEECH, type SpeechRequest } from '../engine.ts';
import { VOICES } from '../voices/voices.ts';
import { type PieceWorkerListener, SpeechPool } from './speech-pool.ts';
import type { SpeakJob } from './worker-messages.ts';

const SAMPLE_RATE = 8000;
const FOX = 'The quick brown fox jumps over the lazy dog and away.';

/** A thread under the test's control: it says a piece only when told to. */
class ScriptedWorker {
  readonly jobs: SpeakJob[] = [];
  readonly cancelled: number[] = [];
  readonly listener: PieceWorkerListener;
  terminated = false;

  constructor(listener: PieceWorkerListener) {
    this.listener = listener;
  }

  ready(): void {
    this.listener.message({ kind: 'ready' });
  }

  speak(job: SpeakJob): void {
    this.jobs.push(job);
  }

  cancel(job: number): void {
    this.cancelled.push(job);
  }

  /** The first job has begun. */
  takeBack(job: number): boolean {
    const at = this.jobs.findIndex((one) => one.job === job);
    if (at > 0) this.jobs.splice(at, 1);
    return at > 0;
  }

  async terminate(): Promise<void> {
    this.terminated = true;
  }

  /** Says the oldest piece held, as this many ms of audio. */
  finish(audioMs = 100): string {
    const next = this.jobs.shift();
    if (next === undefined) throw new Error('nothing to say');
    const { job } = next;
    const samples = new Int16Array((audioMs * SAMPLE_RATE) / 1000).fill(1);
    this.listener.message({ kind: 'block', job, samples, sounds: [[0, 0]] });
    this.listener.message({ kind: 'done', job });
    return next.ssml.trim();
  }
}

/** A pool whose threads are ready, unless told otherwise. */
function createPool(threads = 1, { gathers = false, isReady = true } = {}) {
  const workers: ScriptedWorker[] = [];
  const start = (listener: PieceWorkerListener) => {
    const worker = new ScriptedWorker(listener);
    workers.push(worker);
    return worker;
  };
  const pool = new SpeechPool(threads, start, gathers);
  if (isReady) for (const worker of workers) worker.ready();
  const worker = (index: number) => {
    const found = workers[index];
    if (found === undefined) throw new Error(`no worker ${index}`);
    return found;
  };
  return { pool, worker, workers };
}

const request = (text: string, session = 'a'): SpeechRequest => ({
  ...ORDINARY_SPEECH,
  text,
  voice: VOICES[0],
  sampleRate: SAMPLE_RATE,
  session,
});

function pull(pool: SpeechPool, text: string, session?: string, signal = new AbortController().signal) {
  return pool.synthesize(request(text, session), signal)[Symbol.asyncIterator]();
}

afterEach(() => void vi.useRealTimers());

describe('speech pool', () => {
  it('is started when every thread is warm', async () => {
    const { pool } = createPool(2);
    expect(await pool.started).toBeUndefined();
  });

  it('says what is missing when the engine is', async () => {
    const { pool, worker } = createPool(1, { isReady: false });
    worker(0).listener.message({ kind: 'unusable', missing: true, reason: 'not found' });
    expect(await pool.started).toMatchObject({ missing: true, reason: 'not found' });
    await expect(pull(pool, 'x').next()).rejects.toThrow('the speech engine does not start: not found');
  });

  it('lets a short request pass a long one that is ahead of its listener', async () => {
    const { pool, worker } = createPool();
    const long = pull(pool, 'First sentence. Second sentence. Third sentence. Fourth sentence.', 'long');
    const firstOfLong = long.next();
    worker(0).finish(600);
    await firstOfLong;
    const short = pull(pool, 'Hi.', 'short').next();
    // What was handed out before is said first, and then it is the newcomer's turn.
    expect(worker(0).finish(3000)).toBe('Second sentence.');
    expect(worker(0).finish()).toBe('Hi.');
    expect((await short).done).toBe(false);
  });

  it('takes a piece back that has not begun, for a listener who has no audio yet, and says it later', async () => {
    const { pool, worker } = createPool();
    const long = pull(pool, 'First sentence. Second sentence. Third sentence. Fourth sentence.', 'long');
    const other = pull(pool, 'Other first. Other second. Other third.', 'other');
    const heard = [long.next(), other.next()];
    worker(0).finish(600);
    worker(0).finish(600);
    await Promise.all(heard);
    // One of each is at the thread, and the first of them has begun.
    expect(worker(0).jobs.map(({ ssml }) => ssml.trim())).toEqual(['Second sentence.', 'Other second.']);
    const short = pull(pool, 'Hi.', 'short').next();
    expect(worker(0).jobs.map(({ ssml }) => ssml.trim())).toEqual(['Second sentence.', 'Hi.']);
    expect(worker(0).finish()).toBe('Second sentence.');
    expect(worker(0).finish()).toBe('Hi.');
    expect((await short).done).toBe(false);
    const rest = [long, other].map(async (one) => {
      while (!(await one.next()).done);
    });
    const said: string[] = [];
    while (said.length < 4) {
      await new Promise(setImmediate);
      if (worker(0).jobs.length > 0) said.push(worker(0).finish());
    }
    await Promise.all(rest);
    expect(said.toSorted()).toEqual(['Fourth sentence.', 'Other second.', 'Other third.', 'Third sentence.']);
  });

  it('takes the second piece of a session back, for a session that has none', async () => {
    const { pool, worker } = createPool();
    const calls = ['First call.', 'Second call.', 'Third call.'].map((text) =>
      pull(pool, text, 'calls').next(),
    );
    expect(worker(0).jobs.map(({ ssml }) => ssml.trim())).toEqual(['First call.', 'Second call.']);
    const others = ['Hi.', 'Ho.'].map((text, at) => pull(pool, text, `other ${at}`).next());
    expect(worker(0).jobs.map(({ ssml }) => ssml.trim())).toEqual(['First call.', 'Hi.']);
    const said: string[] = [];
    while (worker(0).jobs.length > 0) said.push(worker(0).finish());
    expect(said).toEqual(['First call.', 'Hi.', 'Ho.', 'Second call.', 'Third call.']);
    expect((await Promise.all([...calls, ...others])).every(({ done }) => !done)).toBe(true);
  });

  it('makes shorter pieces for a crowd', async () => {
    const { pool, worker } = createPool();
    const pulls = Array.from({ length: 30 }, (_, i) => pull(pool, FOX, `s${i}`).next());
    expect(worker(0).finish()).toBe(FOX);
    while (worker(0).jobs.length > 0 && worker(0).jobs[0]?.ssml !== 'The quick,') worker(0).finish();
    expect(worker(0).finish()).toBe('The quick,');
    await pool.close();
    await Promise.allSettled(pulls);
  });

  it('counts in those whose messages are read one in a round of the event loop', async () => {
    const { pool, worker } = createPool(1, { gathers: true });
    const pulls: Promise<unknown>[] = [];
    for (let i = 0; i < 20; i += 1) {
      pulls.push(pull(pool, FOX, `s${i}`).next());
      await new Promise(setImmediate);
      expect(worker(0).jobs).toEqual([]);
    }
    while (worker(0).jobs.length === 0) await new Promise(setImmediate);
    expect(worker(0).finish()).toBe('The quick brown,');
    await pool.close();
    await Promise.allSettled(pulls);
  });

  it('does not wait for ever for those who keep coming', async () => {
    const { pool, worker } = createPool(1, { gathers: true });
    const pulls: Promise<unknown>[] = [];
    for (let i = 0; worker(0).jobs.length === 0; i += 1) {
      pulls.push(pull(pool, 'A sentence.', `s${i}`).next());
      expect(pulls.length).toBeLessThan(100);
      await new Promise(setImmediate);
    }
    await pool.close();
    await Promise.allSettled(pulls);
  });

  it('makes no more than about a second ahead of a reader that does not pull', async () => {
    const { pool, worker } = createPool();
    const reader = pull(pool, 'One. Two. Three. Four. Five. Six.');
    const first = reader.next();
    while (worker(0).jobs.length > 0) worker(0).finish(2000);
    await first;
    expect(worker(0).jobs).toEqual([]);
    // The pause of a sentence comes in blocks too; reading on frees room, and the next piece is handed out.
    while (worker(0).jobs.length === 0) await reader.next();
    expect(worker(0).jobs[0]?.ssml).toMatch(/^ (Two|Three)\.$/);
  });

  it('makes one piece a request while unread audio of all takes too much memory', async () => {
    const { pool, worker } = createPool();
    const text = 'First sentence. Second sentence. Third sentence. Fourth sentence.';
    const slow = pull(pool, text, 'slow');
    const first = slow.next();
    worker(0).finish();
    await first;
    worker(0).finish(2_500_000);
    const other = pull(pool, text, 'other');
    const heard = other.next();
    const said: string[] = [];
    while (worker(0).jobs.length > 0) said.push(worker(0).finish());
    await heard;
    expect(said.filter((piece) => piece === 'Third sentence.')).toEqual([]);
    await slow.return?.();
    while (worker(0).jobs.length === 0) await other.next();
    while (worker(0).jobs.length > 0) said.push(worker(0).finish());
    expect(said).toContain('Third sentence.');
  });

  it('ends with the reason of the abort, cancels at the thread and drops late audio', async () => {
    const { pool, worker } = createPool();
    const controller = new AbortController();
    const waiting = pull(pool, 'One. Two.', 'a', controller.signal).next();
    const [job] = worker(0).jobs;
    controller.abort(new Error('barge-in'));
    await expect(waiting).rejects.toThrow('barge-in');
    expect(worker(0).cancelled).toEqual([job?.job]);
    worker(0).finish();
    expect(worker(0).jobs).toEqual([]);
    const next = pull(pool, 'Next.').next();
    expect(worker(0).finish()).toBe('Next.');
    expect((await next).value?.words).toEqual([]);
    await expect(pull(pool, 'x', 'a', controller.signal).next()).rejects.toThrow('barge-in');
    expect(worker(0).jobs).toEqual([]);
  });

  it('stops the thread when the reader leaves early', async () => {
    const { pool, worker } = createPool();
    const reader = pool.synthesize(request('One. Two. Three.'), new AbortController().signal);
    const first = reader.next();
    worker(0).finish();
    await first;
    const held = worker(0).jobs.map(({ job }) => job);
    await reader.return();
    expect(worker(0).cancelled).toEqual(held);
  });

  it('fails what a dying thread held, and goes on with a new one', async () => {
    const { pool, worker } = createPool();
    const lost = pull(pool, 'One.').next();
    worker(0).listener.exited('out of memory');
    await expect(lost).rejects.toThrow('the speech engine stopped in the middle of this text: out of memory');
    worker(1).ready();
    const next = pull(pool, 'Two.').next();
    expect(worker(1).finish()).toBe('Two.');
    expect((await next).done).toBe(false);
  });

  it('gives up on a thread that never starts', async () => {
    const { pool, worker, workers } = createPool(1, { isReady: false });
    const waiting = pull(pool, 'One.').next();
    for (let i = 0; i < 3; i += 1) worker(i).listener.exited('no such file');
    await expect(waiting).rejects.toThrow('the speech engine does not start: no such file');
    expect(workers.length).toBe(3);
  });

  it('fails one request when one piece fails', async () => {
    const { pool, worker } = createPool();
    const broken = pull(pool, 'One.').next();
    const job = worker(0).jobs.shift()?.job ?? 0;
    worker(0).listener.message({ kind: 'failed', job, reason: 'bad phoneme' });
    await expect(broken).rejects.toThrow('speech failed: bad phoneme');
  });

  it('refuses a language that it does not speak', async () => {
    const odd = { ...request('x'), language: 'de-DE' };
    const reader = createPool().pool.synthesize(odd, new AbortController().signal);
    await expect(reader.next()).rejects.toThrow("language 'de-DE' is not spoken here");
  });

  it('passes on how a request wants to be spoken', async () => {
    const { pool, worker } = createPool();
    const jobFor = async (change: Partial<SpeechRequest>) => {
      const reader = pool.synthesize({ ...request('One.'), ...change }, new AbortController().signal);
      const first = reader.next();
      const [job] = worker(0).jobs;
      worker(0).finish();
      await first;
      await reader.return();
      return job;
    };
    const voice = VOICES.find(({ handle }) => handle === 'rupert') ?? request('').voice;
    expect(await jobFor({ variation: 0 })).toMatchObject({ range: 8 });
    expect(await jobFor({ variation: 1 })).toMatchObject({ range: 99 });
    expect(await jobFor({ voice })).toMatchObject({ espeakVoice: 'en-gb-x-rp+m3', wordsPerMinute: 165 });
    expect(await jobFor({ voice, speed: 1.2 })).toMatchObject({ wordsPerMinute: 198 });
    expect(await jobFor({ voice, language: 'no' })).toMatchObject({ espeakVoice: 'nb+m3' });
  });

  it('replaces a thread that is silent within a piece, not one that is slow', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { pool, worker } = createPool();
    void pull(pool, 'One.').next();
    const [{ job = 0 } = {}] = worker(0).jobs;
    for (let blocks = 0; blocks < 3; blocks += 1) {
      vi.advanceTimersByTime(10_000);
      worker(0).listener.message({ kind: 'block', job, samples: new Int16Array(1), sounds: [] });
    }
    expect(worker(0).terminated).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(worker(0).terminated).toBe(true);
  });

  it('fails what is running when it is closed', async () => {
    const { pool, worker } = createPool();
    const waiting = pull(pool, 'One.').next();
    await Promise.all([expect(waiting).rejects.toThrow('the speech engine is closed'), pool.close()]);
    expect(worker(0).terminated).toBe(true);
    await expect(pull(pool, 'x').next()).rejects.toThrow('the speech engine is closed');
  });
});

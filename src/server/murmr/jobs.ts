import { randomBytes } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import { type Recorded, type RecordingRequest, type SpeechRecorder, TooLong } from './recorder.ts';
import { SPEECH_FAILED } from './speech-events.ts';

/** A job (`facts 7`; `async-jobs.md`). */
export interface Job {
  readonly id: string;
  /** The only key that may see the job. */
  readonly key: string;
  readonly format: string;
  readonly createdMs: number;
  state:
    | { status: 'queued' | 'processing' }
    | { status: 'failed'; error: string }
    /** `recorded` is null when the audio was evicted. */
    | { status: 'completed'; recorded: Recorded | null; completedMs: number };
}

/** Lifetime of a job (`facts 7`). */
const JOB_MS = 24 * 60 * 60 * 1000;
const ID_BYTES = 8;

const JOB_LIMITS = {
  /** Jobs that wait or run. */
  unfinished: 100,
  /** Jobs at all. The oldest finished ones are forgotten. */
  jobs: 10_000,
  /** Bytes of audio. The oldest is evicted. */
  audioBytes: 256 * 1024 * 1024,
};

interface Options {
  clock: Clock;
  recorder: SpeechRecorder;
  /** Called with the reason of a failed job. */
  failed(error: unknown): void;
  /** Ends running jobs. */
  draining: AbortSignal;
  /** In place of `JOB_LIMITS`. */
  limits?: Partial<typeof JOB_LIMITS>;
}

/** Jobs in memory, oldest first. */
export class Jobs {
  readonly #options: Options;
  readonly #limits: typeof JOB_LIMITS;
  readonly #jobs = new Map<string, Job>();
  #unfinished = 0;
  #audioBytes = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#limits = { ...JOB_LIMITS, ...options.limits };
  }

  /** Starts a job of a key, and calls `ended` when the job is over; null while too many are unfinished. */
  submit(
    key: string,
    request: Pick<RecordingRequest, 'format'> & { speech: Omit<RecordingRequest['speech'], 'session'> },
    ended: () => void = () => {},
  ): Job | null {
    this.#forgetExpired();
    if (this.#unfinished >= this.#limits.unfinished) return null;
    const { clock } = this.#options;
    const id = `job_${randomBytes(ID_BYTES).toString('hex')}`;
    const { format } = request;
    const job: Job = { id, key, format, createdMs: clock.nowMs(), state: { status: 'queued' } };
    this.#jobs.set(id, job);
    this.#unfinished += 1;
    void this.#run(job, {
      ...request,
      speech: { ...request.speech, session: `jobs of ${key}`, context: id },
    }).then(ended);
    return job;
  }

  /** A job of that key; undefined for an unknown, expired or foreign one. */
  find(key: string, id: string): Job | undefined {
    this.#forgetExpired();
    const job = this.#jobs.get(id);
    return job?.key === key ? job : undefined;
  }

  async #run(job: Job, request: Pick<RecordingRequest, 'format' | 'speech'>): Promise<void> {
    const { clock, recorder, failed, draining } = this.#options;
    const started = () => {
      job.state = { status: 'processing' };
    };
    try {
      const recorded = await recorder({ ...request, signal: draining, started });
      job.state = { status: 'completed', recorded, completedMs: clock.nowMs() };
      this.#audioBytes += recorded.bytes.length;
    } catch (error) {
      const isTooLong = error instanceof TooLong;
      job.state = { status: 'failed', error: isTooLong ? error.message : SPEECH_FAILED };
      if (!isTooLong && !draining.aborted) failed(error);
    }
    this.#unfinished -= 1;
    this.#evict();
  }

  /** Evicts audio, then whole jobs, the oldest first. */
  #evict(): void {
    for (const job of this.#jobs.values()) {
      if (this.#audioBytes <= this.#limits.audioBytes) break;
      this.#evictAudio(job);
    }
    for (const job of this.#jobs.values()) {
      if (this.#jobs.size <= this.#limits.jobs) break;
      this.#forget(job);
    }
  }

  #evictAudio({ state }: Job): void {
    if (state.status !== 'completed' || !state.recorded) return;
    this.#audioBytes -= state.recorded.bytes.length;
    state.recorded = null;
  }

  #forgetExpired(): void {
    const expired = this.#options.clock.nowMs() - JOB_MS;
    for (const job of this.#jobs.values()) {
      if (job.createdMs > expired) break;
      this.#forget(job);
    }
  }

  #forget(job: Job): void {
    if (job.state.status === 'queued' || job.state.status === 'processing') return;
    this.#evictAudio(job);
    this.#jobs.delete(job.id);
  }
}

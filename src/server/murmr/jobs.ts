import { randomBytes } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '#lib/clock.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { type FileMemory, NEEDED_BY_OTHERS } from '../answers/file-body.ts';
import { type AudioFile, type AudioFileFormat, writeAudioFile } from '../audio/audio-file.ts';
import { type Engine, EngineBusyError, type SpeechBlock, type SpeechRequest } from '../speech/engine.ts';
import { type Peer, Shares } from '../state/shares.ts';
import { SPEECH_FAILED } from './access.ts';

/** Recordings of one session made at a time. */
const MAX_AT_A_TIME = 8;
const MAX_MINUTES = 20;

/** The speech exceeds `MAX_MINUTES`. Digits and pauses can make it long. */
export class TooLong extends Error {
  override readonly name = 'TooLong';

  constructor() {
    super(`text is too long to be spoken in one file: expected at most ${MAX_MINUTES} minutes of speech`);
  }
}

/** A recording, and how long it took to make. */
export interface Recorded extends AudioFile {
  readonly totalMs: number;
}

export interface RecordingRequest {
  speech: SpeechRequest;
  format: AudioFileFormat;
  signal: AbortSignal;
  /** Whose recording it is. */
  peer: Peer;
  /** Called when the synthesis starts. */
  started?(): void;
  /** Receives all samples. They are valid during the call only. */
  hear?(samples: Int16Array): void;
}

/** Makes a whole recording. Rejects with `TooLong`, or when the engine fails or the signal aborts. */
export type SpeechRecorder = (request: RecordingRequest) => Promise<Recorded>;

/**
 * A recorder on the engine. Recordings of a session beyond `MAX_AT_A_TIME` wait, and so do those of the peer that holds most while
 * the memory of files is full. One that loses its memory to other peers rejects with an `EngineBusyError`.
 */
export function createRecorder(engine: Engine, clock: Clock, files: FileMemory): SpeechRecorder {
  const limits = new Map<string, LimitFunction>();
  const make = async (request: RecordingRequest, askedMs: number): Promise<Recorded> => {
    const { speech, format, signal, peer, started } = request;
    await files.room(peer, signal);
    started?.();
    const lost = new AbortController();
    const held = files.hold(peer, 0, () => lost.abort(new EngineBusyError(NEEDED_BY_OTHERS)));
    try {
      const until = AbortSignal.any([signal, lost.signal]);
      const blocks = heard(engine, { ...request, signal: until }, held.resize);
      const file = await writeAudioFile(blocks, format, speech.sampleRate, peer);
      until.throwIfAborted();
      return { ...file, totalMs: Math.round(clock.nowMs() - askedMs) };
    } finally {
      held.release();
    }
  };
  return async (request) => {
    const { session } = request.speech;
    const limit = madeOnce(limits, session, () => pLimit(MAX_AT_A_TIME));
    const askedMs = clock.nowMs();
    try {
      return await limit(() => make(request, askedMs));
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) limits.delete(session);
    }
  };
}

/** @param held receives the bytes so far of an uncompressed file, the largest one */
async function* heard(
  engine: Engine,
  { speech, signal, hear }: RecordingRequest,
  held: (bytes: number) => void,
): AsyncGenerator<SpeechBlock> {
  const most = MAX_MINUTES * 60 * speech.sampleRate;
  let samples = 0;
  for await (const block of engine.synthesize(speech, signal)) {
    samples += block.samples.length;
    if (samples > most) throw new TooLong();
    held(samples * block.samples.BYTES_PER_ELEMENT);
    hear?.(block.samples);
    yield block;
    signal.throwIfAborted();
  }
}

/** A call of speech whose audio is fetched later (murmr-http-3). */
export interface Job {
  readonly id: string;
  /** The only key that may see the job. */
  readonly key: string;
  readonly format: string;
  readonly peer: Peer;
  readonly createdMs: number;
  state:
    | { status: 'queued' | 'processing' }
    | { status: 'failed'; error: string }
    /** `recorded` is null when the audio was evicted. */
    | { status: 'completed'; recorded: Recorded | null; completedMs: number };
}

/** Lifetime of a job. */
const JOB_MS = 24 * 60 * 60 * 1000;
const ID_BYTES = 8;

const JOB_LIMITS = {
  /** Jobs that wait or run. Those of the peer that has most fail for one that has fewer. */
  unfinished: 100,
  /** Finished jobs. The oldest of the peer that has most are forgotten. */
  jobs: 10_000,
  /** Bytes of audio. The oldest of the peer that has most is evicted. */
  audioBytes: 64 * 1024 * 1024,
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

/** Jobs in memory, of which each peer has its share. */
export class Jobs {
  readonly #options: Options;
  readonly #limits: typeof JOB_LIMITS;
  readonly #jobs = new Map<string, Job>();
  readonly #unfinished = new Shares<AbortController>();
  readonly #finished = new Shares<Job>();
  readonly #withAudio = new Shares<Job>();

  constructor(options: Options) {
    this.#options = options;
    this.#limits = { ...JOB_LIMITS, ...options.limits };
  }

  /** Starts a job of a key, and calls `ended` when the job is over; null while too many are unfinished. */
  submit(
    key: string,
    request: Pick<RecordingRequest, 'format' | 'peer'> & {
      speech: Omit<RecordingRequest['speech'], 'session'>;
    },
    ended: () => void = () => {},
  ): Job | null {
    this.#forgetExpired();
    const { format, peer } = request;
    if (this.#unfinished.size >= this.#limits.unfinished && !this.#makeRoom(peer)) return null;
    const { clock } = this.#options;
    const id = `job_${randomBytes(ID_BYTES).toString('hex')}`;
    const job: Job = { id, key, format, peer, createdMs: clock.nowMs(), state: { status: 'queued' } };
    this.#jobs.set(id, job);
    const session = `jobs of ${peer.join(' ')}`;
    void this.#run(job, { ...request, speech: { ...request.speech, session, context: id } }).then(ended);
    return job;
  }

  /** A job of that key; undefined for an unknown, expired or foreign one. */
  find(key: string, id: string): Job | undefined {
    this.#forgetExpired();
    const job = this.#jobs.get(id);
    return job?.key === key ? job : undefined;
  }

  async #run(job: Job, request: Pick<RecordingRequest, 'format' | 'speech' | 'peer'>): Promise<void> {
    const { clock, recorder, failed, draining } = this.#options;
    const stopped = new AbortController();
    this.#unfinished.add(stopped, job.peer);
    const signal = AbortSignal.any([draining, stopped.signal]);
    const started = () => {
      job.state = { status: 'processing' };
    };
    try {
      const recorded = await recorder({ ...request, signal, started });
      job.state = { status: 'completed', recorded, completedMs: clock.nowMs() };
      this.#withAudio.add(job, job.peer, recorded.bytes.length);
    } catch (error) {
      const isTooLong = error instanceof TooLong;
      job.state = { status: 'failed', error: isTooLong ? error.message : SPEECH_FAILED };
      if (!isTooLong && !signal.aborted) failed(error);
    }
    this.#unfinished.remove(stopped);
    this.#finished.add(job, job.peer);
    this.#evict();
  }

  /** Stops the oldest job of the peer that has most. @returns false where this peer has about as many */
  #makeRoom(peer: Peer): boolean {
    if (this.#unfinished.largest <= this.#unfinished.of(peer) + 1) return false;
    const stopped = this.#unfinished.first();
    if (!stopped) return false;
    this.#unfinished.remove(stopped);
    stopped.abort();
    return true;
  }

  /** Evicts audio, then whole jobs. */
  #evict(): void {
    while (this.#withAudio.weight > this.#limits.audioBytes) {
      const job = this.#withAudio.first();
      if (!job) break;
      this.#evictAudio(job);
    }
    while (this.#finished.size > this.#limits.jobs) {
      const job = this.#finished.first();
      if (!job) break;
      this.#forget(job);
    }
  }

  #evictAudio(job: Job): void {
    this.#withAudio.remove(job);
    if (job.state.status === 'completed') job.state.recorded = null;
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
    this.#finished.remove(job);
    this.#jobs.delete(job.id);
  }
}

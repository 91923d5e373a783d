import type { Engine } from '../engine.ts';
import { startThread } from '../threads.ts';
import { type PieceWorker, type PieceWorkerListener, SpeechPool } from './speech-pool.ts';
import { type EspeakWorkerData, JOB_CELLS, type WorkerMessage } from './worker-messages.ts';

const PACKAGE = '@echogarden/espeak-ng-emscripten';
const VERSION = '0.3.5';
/** Kept with words that were found by its speech, because another version may speak otherwise. */
export const ESPEAK_NAME = `espeak-ng ${VERSION}`;

/** Threads of an engine. */
export const THREADS = 2;

/** The optional speech package is not installed, or does not load. The message says what to do. */
export class EngineMissingError extends Error {
  override readonly name = 'EngineMissingError';
}

export interface EspeakEngineOptions {
  /** Pieces that are synthesised at once, each in a thread with an espeak of its own. */
  readonly threads?: number;
}

function startWorker(listener: PieceWorkerListener): PieceWorker {
  const jobs = new Int32Array(new SharedArrayBuffer(JOB_CELLS * Int32Array.BYTES_PER_ELEMENT));
  const workerData: EspeakWorkerData = { jobs: jobs.buffer };
  const url = new URL('./espeak.worker.mjs', import.meta.url);
  const worker = startThread(url, { workerData }, (reason) => listener.exited(reason));
  worker.on('message', (message: WorkerMessage) => listener.message(message));
  return {
    speak(job) {
      Atomics.store(jobs, job.job % JOB_CELLS, job.job);
      worker.postMessage(job);
    },
    cancel: (job) => void Atomics.store(jobs, job % JOB_CELLS, 0),
    takeBack: (job) => Atomics.compareExchange(jobs, job % JOB_CELLS, job, 0) === job,
    terminate: async () => {
      await worker.terminate();
    },
  };
}

/**
 * Starts espeak in worker threads. The first requests are slow; `warmUp` takes that on itself.
 * Rejects with EngineMissingError when the optional package cannot be used.
 */
export async function createEspeakEngine({ threads = THREADS }: EspeakEngineOptions = {}): Promise<Engine> {
  const pool = new SpeechPool(threads, startWorker);
  const failure = await pool.started;
  if (failure === undefined) return pool;
  await pool.close();
  throw new EngineMissingError(
    failure.missing
      ? `The speech engine ${PACKAGE} is not installed. Get it with: npm install ${PACKAGE}@${VERSION}`
      : `The speech engine ${PACKAGE} does not start (${failure.reason}). Install it anew with: npm ci`,
  );
}

import { parentPort, workerData } from 'node:worker_threads';
import { loadEspeak } from './espeak-module.ts';
import { createSpeaker } from './speaker.ts';
import type { EspeakWorkerData, SpeakJob, WorkerMessage } from './worker-messages.ts';

const port = parentPort;
if (port === null) throw new Error('espeak.worker runs in a worker thread only');

const post = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
const jobs = new Int32Array((workerData as EspeakWorkerData).jobs);

const loaded = await loadEspeak();
if (loaded.ok) {
  const speak = createSpeaker(loaded);
  port.on('message', (request: SpeakJob) => {
    const { job } = request;
    const cell = job % jobs.length;
    Atomics.compareExchange(jobs, cell, job, -job);
    try {
      speak(
        request,
        (samples, sounds) => post({ kind: 'block', job, samples, sounds }, [samples.buffer]),
        () => Atomics.load(jobs, cell) !== -job,
      );
      post({ kind: 'done', job });
    } catch (error) {
      post({ kind: 'failed', job, reason: error instanceof Error ? error.message : String(error) });
    }
  });
  post({ kind: 'ready' });
} else {
  post({ kind: 'unusable', missing: loaded.missing, reason: loaded.reason });
}

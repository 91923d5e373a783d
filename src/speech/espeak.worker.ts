import { parentPort, workerData } from 'node:worker_threads';
import { loadEspeak } from './espeak-module.ts';
import { createSpeaker, type Speak } from './speaker.ts';
import type { EspeakWorkerData, SpeakJob, WorkerMessage } from './worker-messages.ts';

/** The first syntheses of a process are up to twenty times slower; these take that on themselves. */
const WARM_UP = [
  { espeakVoice: 'de+m1', ssml: 'Guten Tag, dies ist ein kurzer Satz zum Aufwärmen, mit 12 Zahlen.' },
  { espeakVoice: 'fr+f1', ssml: 'Bonjour, voici une phrase pour se préparer.' },
  {
    espeakVoice: 'en-us+f2',
    ssml: 'The quick brown fox jumps over the lazy dog, twelve times a day, and 3 at night.',
  },
  {
    espeakVoice: 'en-us+m1',
    ssml: 'Pack my box with five dozen liquor jugs: it is a sentence with every letter.',
  },
];
const WARM_UP_ROUNDS = 2;

function warmUp(speak: Speak): void {
  const manner = { job: 0, pitch: 50, range: 50, wordsPerMinute: 175, gainDb: 0, sampleRate: 24000 } as const;
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const sentence of WARM_UP) {
      speak(
        { ...manner, ...sentence },
        () => {},
        () => false,
      );
    }
  }
}

const port = parentPort;
if (port === null) throw new Error('espeak.worker runs in a worker thread only');

const post = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
const { cancelledJobs } = workerData as EspeakWorkerData;
const cancelled = new Int32Array(cancelledJobs);

const loaded = await loadEspeak();
if (loaded.ok) {
  const speak = createSpeaker(loaded.espeak);
  warmUp(speak);
  port.on('message', (request: SpeakJob) => {
    const { job } = request;
    try {
      speak(
        request,
        (samples, sounds) => post({ kind: 'block', job, samples, sounds }, [samples.buffer]),
        () => Atomics.load(cancelled, job % cancelled.length) === job,
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

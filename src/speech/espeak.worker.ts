import { parentPort, workerData } from 'node:worker_threads';
import { loadEspeak } from './espeak-module.ts';
import { createSpeaker, type Speak } from './speaker.ts';
import type { EspeakWorkerData, SpeakJob, WorkerMessage } from './worker-messages.ts';

/** The first syntheses of a process are some twenty times slower; these take that on themselves. */
const WARM_UP = [
  { espeakVoice: 'de+m1', ssml: 'Guten Tag, dies ist ein kurzer Satz zum Aufwärmen, mit 12 Zahlen.' },
  { espeakVoice: 'en-us+f2', ssml: 'Hello.' },
  {
    espeakVoice: 'en-us+f2',
    ssml: 'The quick brown fox jumps over the lazy dog, twelve times a day, and 3 at night.',
  },
  {
    espeakVoice: 'en-us+f2',
    ssml: 'Pack my box with five dozen liquor jugs: it is a sentence with every letter.',
  },
];

function warmUp(speak: Speak): void {
  const manner = { job: 0, pitch: 50, range: 50, wordsPerMinute: 175, gainDb: 0, sampleRate: 24000 } as const;
  for (const sentence of WARM_UP) {
    speak(
      { ...manner, ...sentence },
      () => {},
      () => false,
    );
  }
}

const port = parentPort;
if (port === null) throw new Error('espeak.worker runs in a worker thread only');

const post = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
const { cancelledJob } = workerData as EspeakWorkerData;
const cancelled = new Int32Array(cancelledJob);

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
        () => Atomics.load(cancelled, 0) === job,
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

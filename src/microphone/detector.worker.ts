import { messageOf } from '#lib/message-of.ts';
import { wallMs } from '#lib/wall-clock.ts';
import { Detector } from './detector.ts';
import type { DetectorCommand, DetectorReport } from './detector-messages.ts';
import { loadSpeechModel } from './load-speech-model.ts';

/** The used part of a dedicated worker's scope, because the types of pages and workers exclude one another. */
interface WorkerScope {
  postMessage(report: DetectorReport): void;
  onmessage: ((event: MessageEvent<DetectorCommand>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;

/** The meter moves as often as a screen shows it on a slow computer. */
const REPORT_EVERY_MS = 33;

let detector: Detector | null = null;
let settings: Extract<DetectorCommand, { type: 'settings' }>['settings'];

async function start(command: Extract<DetectorCommand, { type: 'start' }>): Promise<void> {
  const { sound, session, sampleRate } = command;
  settings = command.settings;
  const giveBack = (block: Float32Array<ArrayBuffer>): void => sound.postMessage(block, [block.buffer]);
  // Sound that waited for the model would be judged when it is long past.
  sound.onmessage = ({ data }: MessageEvent<Float32Array<ArrayBuffer>>) => giveBack(data);
  const model = await loadSpeechModel();
  let reportedMs = 0;
  const listening = new Detector(
    model,
    settings,
    sampleRate,
    {
      heard: (heard) => {
        const nowMs = wallMs();
        if (nowMs - reportedMs < REPORT_EVERY_MS) return;
        reportedMs = nowMs;
        scope.postMessage({ type: 'heard', heard });
      },
      news: (news) => session.postMessage(news),
    },
    wallMs,
  );
  detector = listening;
  sound.onmessage = ({ data }: MessageEvent<Float32Array<ArrayBuffer>>) => {
    listening.hear(data).then(() => giveBack(data), failed);
  };
  scope.postMessage({ type: 'listening' });
}

const failed = (error: unknown): void => scope.postMessage({ type: 'failed', reason: messageOf(error) });

scope.onmessage = ({ data }) => {
  switch (data.type) {
    case 'start':
      start(data).catch(failed);
      break;
    case 'settings':
      settings = data.settings;
      if (detector) detector.settings = settings;
      break;
    case 'stop':
      (detector?.stop() ?? Promise.resolve()).then(() => scope.postMessage({ type: 'stopped' }), failed);
      break;
  }
};

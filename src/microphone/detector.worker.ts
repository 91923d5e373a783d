import { wallMs } from '#lib/wall-clock.ts';
import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { Detector, type JudgedSound } from './detector.ts';
import type { DetectorSettings } from './detector-settings.ts';
import { loadSpeechModel } from './load-speech-model.ts';

type Block = Float32Array<ArrayBuffer>;

/** The meter moves as often as a screen shows it on a slow computer. */
const REPORT_EVERY_MS = 33;

/** Methods of the worker that finds speech, for one use of the microphone. */
class DetectorThread {
  #detector: Detector | null = null;
  #settings: DetectorSettings | null = null;

  /**
   * Judges sound until the worker is terminated. Rejects where the detector fails.
   * @param sound from the capture worklet, at `sampleRate` in Hz
   * @param session to the session worker, which receives speech over the voice
   * @param began called once the model is loaded
   */
  async listen(
    sound: MessagePort,
    session: MessagePort,
    sampleRate: number,
    settings: DetectorSettings,
    began: () => void,
    heard: (heard: JudgedSound) => void,
  ): Promise<never> {
    this.#settings = settings;
    const giveBack = (block: Block): void => sound.postMessage(block, [block.buffer]);
    // Sound that waited for the model would be judged when it is long past.
    sound.onmessage = ({ data }: MessageEvent<Block>) => giveBack(data);
    const model = await loadSpeechModel();
    let reportedMs = 0;
    const detector = new Detector(
      model,
      this.#settings,
      sampleRate,
      {
        heard: (judged) => {
          const nowMs = wallMs();
          if (nowMs - reportedMs < REPORT_EVERY_MS) return;
          reportedMs = nowMs;
          heard(judged);
        },
        news: (news) => session.postMessage(news),
      },
      wallMs,
    );
    this.#detector = detector;
    began();
    return new Promise((_, reject) => {
      sound.onmessage = ({ data }: MessageEvent<Block>) => {
        detector.hear(data).then(() => giveBack(data), reject);
      };
    });
  }

  change(settings: DetectorSettings): void {
    this.#settings = settings;
    if (this.#detector) this.#detector.settings = settings;
  }

  /** Ends speech that lasts, so that a paused voice goes on. */
  async stop(): Promise<void> {
    await this.#detector?.stop();
  }
}

export type { DetectorThread };

serveCalls(globalThis as unknown as CallPort, new DetectorThread());

import { CAPTURE_PROCESSOR, CAPTURE_SAMPLES, type CaptureStart } from './capture-messages.ts';

/** The globals of a worklet, which the page's type library does not declare. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** Sends the sound of the microphone past the page. The detector returns its blocks, so that nothing is allocated. */
class CaptureProcessor extends AudioWorkletProcessor {
  #port: MessagePort | null = null;
  readonly #free: Float32Array<ArrayBuffer>[] = [];
  #block = new Float32Array(CAPTURE_SAMPLES);
  #filled = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<CaptureStart>) => {
      this.#port = data.port;
      this.#port.onmessage = ({ data: block }: MessageEvent<Float32Array<ArrayBuffer>>) => {
        this.#free.push(block);
      };
    };
  }

  process(inputs: Float32Array[][]): boolean {
    const port = this.#port;
    const sound = inputs[0]?.[0];
    // Without a source there is no input, and with a muted one there is silence.
    if (!port || !sound) return true;
    for (let at = 0; at < sound.length; at += 1) {
      this.#block[this.#filled] = sound[at] ?? 0;
      this.#filled += 1;
      if (this.#filled < CAPTURE_SAMPLES) continue;
      port.postMessage(this.#block, [this.#block.buffer]);
      this.#block = this.#free.pop() ?? new Float32Array(CAPTURE_SAMPLES);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor(CAPTURE_PROCESSOR, CaptureProcessor);

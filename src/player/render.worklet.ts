import { Mixer, SteadyClock } from './mixer.ts';
import { type NodeMessage, PROCESSOR_NAME } from './worklet-messages.ts';

/** The globals of a worklet, which the page's type library does not declare. */
declare const currentFrame: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class PlayerProcessor extends AudioWorkletProcessor {
  readonly #mixer = new Mixer();
  readonly #clock = new SteadyClock();

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<NodeMessage>) => this.#mixer.handle(data);
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const left = outputs[0]?.[0];
    const right = outputs[0]?.[1];
    if (left && right && this.#clock.runs(currentFrame, left.length)) {
      this.#mixer.process(left, right, currentFrame);
    }
    return true;
  }
}

registerProcessor(PROCESSOR_NAME, PlayerProcessor);

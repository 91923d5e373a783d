import { type NodeMessage, PROCESSOR_NAME } from './messages.ts';
import { SteadyClock, TrackHost } from './track-host.ts';

/** The worklet's scope, which the type library of the page does not describe. */
declare const currentFrame: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class PlayerProcessor extends AudioWorkletProcessor {
  readonly #host = new TrackHost();
  readonly #clock = new SteadyClock();

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<NodeMessage>) => this.#host.handle(data);
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const left = outputs[0]?.[0];
    const right = outputs[0]?.[1];
    if (left && right && this.#clock.runs(currentFrame, left.length)) {
      this.#host.process(left, right, currentFrame);
    }
    return true;
  }
}

registerProcessor(PROCESSOR_NAME, PlayerProcessor);

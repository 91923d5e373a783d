import type { InferenceSession, TypedTensor } from 'onnxruntime-web/wasm';
import { MODEL_RATE, type SpeechModel } from './speech-model.ts';

/** The used part of the runtime, which the browser's worker and a program load in different ways. */
export type OnnxRuntime = Pick<typeof import('onnxruntime-web/wasm'), 'Tensor' | 'InferenceSession'>;

const FRAME_SAMPLES = 512;
/** Each frame is judged with the end of the frame before it. */
const CONTEXT_SAMPLES = 64;
const STATE_SHAPE = [2, 1, 128] as const;

/** Silero's detector of voice activity. Its state is that of one stream. */
export class Silero implements SpeechModel {
  readonly frameSamples = FRAME_SAMPLES;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #rate: TypedTensor<'int64'>;
  readonly #input = new Float32Array(CONTEXT_SAMPLES + FRAME_SAMPLES);
  #state: TypedTensor<'float32'>;

  private constructor(runtime: OnnxRuntime, session: InferenceSession) {
    const { Tensor } = runtime;
    this.#runtime = runtime;
    this.#session = session;
    this.#rate = new Tensor('int64', BigInt64Array.of(BigInt(MODEL_RATE)), [1]);
    this.#state = new Tensor('float32', new Float32Array(2 * 128), STATE_SHAPE);
  }

  /** @param model the file of the model */
  static async load(runtime: OnnxRuntime, model: Uint8Array): Promise<Silero> {
    return new Silero(runtime, await runtime.InferenceSession.create(model));
  }

  async probability(frame: Float32Array): Promise<number> {
    this.#input.copyWithin(0, FRAME_SAMPLES);
    this.#input.set(frame, CONTEXT_SAMPLES);
    const input = new this.#runtime.Tensor('float32', this.#input, [1, this.#input.length]);
    const { output, stateN } = await this.#session.run({ input, state: this.#state, sr: this.#rate });
    if (!output || !stateN) throw new Error('The model of the detector has other outputs than expected.');
    this.#state = stateN as TypedTensor<'float32'>;
    return Number(output.data[0]);
  }
}

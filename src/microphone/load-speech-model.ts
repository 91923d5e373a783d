import modelUrl from '@ricky0123/vad-web/dist/silero_vad_v6.onnx?url';
import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import * as runtime from 'onnxruntime-web/wasm';
import { Silero } from './silero.ts';
import type { SpeechModel } from './speech-model.ts';

/** Loads the detector's model in a worker, from the server of the page. @throws where a file cannot be loaded */
export async function loadSpeechModel(): Promise<SpeechModel> {
  const [wasm, model] = await Promise.all([fileAt(wasmUrl), fileAt(modelUrl)]);
  // One thread judges a second of sound in a few hundredths of a second.
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmBinary = wasm;
  return Silero.load(runtime, new Uint8Array(model));
}

/** Loads a file that the build publishes in its packed form only. */
async function fileAt(url: string): Promise<ArrayBuffer> {
  const response = await fetch(import.meta.env.DEV ? url : `${url}.gz`);
  if (!response.ok) throw new Error(`The server answered ${response.status} for a file of the detector.`);
  const bytes = await response.arrayBuffer();
  // A server may name the packing as an encoding, which the browser undoes.
  const [first, second] = new Uint8Array(bytes);
  const isPacked = first === 0x1f && second === 0x8b;
  return isPacked
    ? new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
    : bytes;
}

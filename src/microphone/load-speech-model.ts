import modelUrl from '@ricky0123/vad-web/dist/silero_vad_v6.onnx?url';
import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import * as runtime from 'onnxruntime-web/wasm';
import { Silero } from './silero.ts';
import type { SpeechModel } from './speech-model.ts';

/** Loads the detector's model in a worker, from the server of the page. @throws where a file cannot be loaded */
export async function loadSpeechModel(): Promise<SpeechModel> {
  // One thread judges a second of sound in a few hundredths of a second.
  runtime.env.wasm.numThreads = 1;
  runtime.env.wasm.wasmPaths = { wasm: wasmUrl };
  const response = await fetch(modelUrl);
  if (!response.ok) throw new Error(`The server answered ${response.status} for the detector's model.`);
  return Silero.load(runtime, new Uint8Array(await response.arrayBuffer()));
}

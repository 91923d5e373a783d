import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as runtime from 'onnxruntime-web/wasm';
import { Silero } from '#microphone/silero.ts';

const MODEL = createRequire(import.meta.url).resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx');

/** The page's detector, for a program in Node. */
export async function loadSpeechModel(): Promise<Silero> {
  runtime.env.wasm.numThreads = 1;
  return Silero.load(runtime, await readFile(MODEL));
}

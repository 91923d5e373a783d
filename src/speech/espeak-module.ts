import type { EspeakWorker } from '@echogarden/espeak-ng-emscripten';

type EspeakPackage = typeof import('@echogarden/espeak-ng-emscripten');

/** Loading espeak as a value: the engine, or why there is none. */
export type EspeakLoad =
  | { readonly ok: true; readonly espeak: EspeakWorker }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** Loads the optional package. `missing` tells an absent package from one that is there and does not work. */
export async function loadEspeak(
  importPackage: () => Promise<EspeakPackage> = () => import('@echogarden/espeak-ng-emscripten'),
): Promise<EspeakLoad> {
  try {
    const { default: load } = await importPackage();
    const { eSpeakNGWorker: Worker } = await load({});
    return { ok: true, espeak: new Worker() };
  } catch (error) {
    return {
      ok: false,
      missing: isMissing(error),
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

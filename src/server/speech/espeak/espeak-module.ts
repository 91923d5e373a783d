import type { EspeakModule, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { accentFiles, type EspeakVoiceFile, variantFiles } from '../voices/espeak-voice-files.ts';

type EspeakPackage = typeof import('@echogarden/espeak-ng-emscripten');

/** Loading espeak as a value: the engine, or why there is none. */
export type EspeakLoad =
  | { readonly ok: true; readonly espeak: EspeakWorker }
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

/** Folder of espeak's data in the package. */
const DATA = '/usr/share/espeak-ng-data';

function addFiles(espeak: EspeakModule, files: readonly EspeakVoiceFile[]): void {
  for (const { folder, name, content } of files) {
    espeak.FS_createDataFile(`${DATA}/${folder}`, name, content, true, false, true);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';

/** Loads the optional package. `missing` is false for a package that is installed but does not work. */
export async function loadEspeak(
  importPackage: () => Promise<EspeakPackage> = () => import('@echogarden/espeak-ng-emscripten'),
): Promise<EspeakLoad> {
  try {
    const { default: load } = await importPackage();
    const espeakModule = await load({});
    addFiles(espeakModule, accentFiles());
    const espeak = new espeakModule.eSpeakNGWorker();
    addFiles(espeakModule, variantFiles());
    return { ok: true, espeak };
  } catch (error) {
    return {
      ok: false,
      missing: isMissing(error),
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

import { openSync, readSync } from 'node:fs';
import type { EspeakModule, EspeakWorker } from '@echogarden/espeak-ng-emscripten';
import { accentFiles, type EspeakVoiceFile, variantFiles } from '../voices/espeak-voice-files.ts';
import { EspeakMemory } from './espeak-memory.ts';

type EspeakPackage = typeof import('@echogarden/espeak-ng-emscripten');

export interface LoadedEspeak {
  readonly ok: true;
  readonly espeak: EspeakWorker;
  readonly memory: EspeakMemory;
}

/** Loading espeak as a value: the engine, or why there is none. */
export type EspeakLoad =
  | LoadedEspeak
  | { readonly ok: false; readonly missing: boolean; readonly reason: string };

/** Folder of espeak's data in the package. */
const DATA = '/usr/share/espeak-ng-data';

function addFiles(espeak: EspeakModule, files: readonly EspeakVoiceFile[]): void {
  for (const { folder, name, content } of files) {
    espeak.FS_createDataFile(`${DATA}/${folder}`, name, content, true, false, true);
  }
}

/**
 * Returns options that leave espeak's 24 MB of data on disk. Its file system reads what espeak opens, which is some
 * 300 kB for a voice.
 *
 * The package adds a file as a view of one buffer, which stays empty here. The view's place is the file's place in the
 * data. The views must stay: once a buffer of this size is freed, glibc returns no smaller memory to the system any more.
 *
 * The data's file stays open until the worker ends, when Node closes it. On Windows, npm cannot replace the package
 * before that. A load outside of a worker keeps one descriptor for good.
 */
function dataOnDisk(): object {
  let data: number;
  let createDataFile: EspeakModule['FS_createDataFile'];
  const addFile = (espeak: EspeakModule, path: string, view: Uint8Array): void => {
    const file = espeak.FS_createLazyFile('/', path, path, true, false);
    file.contents = view;
    file.stream_ops.read = (_, memory, offset, wanted, position) => {
      const length = Math.max(0, Math.min(wanted, view.length - position));
      return readSync(data, memory, offset, length, view.byteOffset + position);
    };
  };
  return Object.defineProperty(
    {
      getPreloadedPackage(path: string, bytes: number) {
        data = openSync(path, 'r');
        return new ArrayBuffer(bytes);
      },
    },
    'FS_createDataFile',
    {
      set(create) {
        createDataFile = create;
      },
      get(this: EspeakModule): EspeakModule['FS_createDataFile'] {
        return (folder, name, content, ...flags) =>
          typeof content === 'string'
            ? createDataFile(folder, name, content, ...flags)
            : addFile(this, folder, content);
      },
    },
  );
}

/** Starts espeak at a fixed time, because the time seeds its noise. */
function startEspeak({ eSpeakNGWorker }: EspeakModule): EspeakWorker {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return new eSpeakNGWorker();
  } finally {
    Date.now = now;
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
    // espeak prints warnings about gaps in its own data, such as `No envelope`.
    const espeakModule = await load(Object.assign(dataOnDisk(), { printErr() {} }));
    addFiles(espeakModule, accentFiles());
    const espeak = startEspeak(espeakModule);
    addFiles(espeakModule, variantFiles());
    // Takes the memory for strings before the rest is kept.
    espeak.set_voice('');
    return { ok: true, espeak, memory: new EspeakMemory(espeakModule, espeak) };
  } catch (error) {
    return {
      ok: false,
      missing: isMissing(error),
      reason: error instanceof Error ? error.message : String(error),
    };
  }
}

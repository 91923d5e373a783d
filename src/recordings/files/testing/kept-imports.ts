import type { NewEntry } from '#trace/entry.ts';
import type { ImportedRecording } from '../../store/recording-import.ts';
import type { ImportStore } from '../importer.ts';

/** Keeps imported recordings in memory, whole or not at all, as the real store does. */
export class KeptImports implements ImportStore {
  readonly kept = new Map<string, NewEntry[]>();
  readonly names: string[] = [];
  #ids = 0;

  async add(files: readonly ImportedRecording[]): Promise<string[]> {
    const whole: NewEntry[][] = [];
    for (const { entries } of files) {
      const all: NewEntry[] = [];
      for await (const entry of entries) all.push(entry);
      whole.push(all);
    }
    return files.map(({ info }, at) => {
      this.#ids += 1;
      this.kept.set(String(this.#ids), whole[at] ?? []);
      this.names.push(info.name);
      return String(this.#ids);
    });
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.kept.delete(id);
  }

  async find(): Promise<null> {
    return null;
  }
}

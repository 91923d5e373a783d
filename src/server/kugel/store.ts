import type { DataFile } from '../data-file.ts';
import { DictionaryStore } from './account/dictionaries.ts';
import { VoiceStore } from './account/voice-store.ts';

/** What every key of the local server shares: voices and dictionaries. */
export interface KugelStore {
  readonly voices: VoiceStore;
  readonly dictionaries: DictionaryStore;
}

export const createKugelStore = (data: DataFile): KugelStore => ({
  voices: new VoiceStore(data),
  dictionaries: new DictionaryStore(data),
});

import type { DataFile } from '../data-file.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { DictionaryStore } from './account/dictionaries.ts';
import { VoiceStore } from './account/voice-store.ts';

/** Voices and dictionaries, which all keys of the local server share. */
export interface KugelStore {
  readonly voices: VoiceStore;
  readonly dictionaries: DictionaryStore;
}

export const createKugelStore = (data: DataFile, catalogue: VoiceCatalogue): KugelStore => ({
  voices: new VoiceStore(data, catalogue),
  dictionaries: new DictionaryStore(data),
});

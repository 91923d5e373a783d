import { DictionaryStore } from './dictionaries.ts';
import { VoiceStore } from './voice-store.ts';

/** What every key of the local server shares: voices and dictionaries. */
export interface KugelStore {
  readonly voices: VoiceStore;
  readonly dictionaries: DictionaryStore;
}

export const createKugelStore = (): KugelStore => ({
  voices: new VoiceStore(),
  dictionaries: new DictionaryStore(),
});

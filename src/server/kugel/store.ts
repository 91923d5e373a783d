import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { SharedState } from '../state/state.ts';
import { ACCOUNT_DICTIONARIES, type DictionaryStore } from './account/dictionaries.ts';
import { accountVoices, type VoiceStore } from './account/voice-store.ts';

/** Voices and dictionaries, which all keys of the local server share. */
export interface KugelStore {
  /** As they are now. */
  readonly voices: VoiceStore;
  readonly dictionaries: DictionaryStore;
  /** Change them as `SharedDocument.change` does. */
  changeVoices<R>(apply: (voices: VoiceStore) => R): Promise<R>;
  changeDictionaries<R>(apply: (dictionaries: DictionaryStore) => R): Promise<R>;
}

export function createKugelStore(
  state: Pick<SharedState, 'document'>,
  catalogue: VoiceCatalogue,
): KugelStore {
  const voices = state.document(accountVoices(catalogue));
  const dictionaries = state.document(ACCOUNT_DICTIONARIES);
  return {
    get voices() {
      return voices.current;
    },
    get dictionaries() {
      return dictionaries.current;
    },
    changeVoices: voices.change,
    changeDictionaries: dictionaries.change,
  };
}

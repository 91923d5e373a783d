import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { SharedState } from '../state/state.ts';
import { ACCOUNT_DICTIONARIES } from './account/dictionaries.ts';
import { accountVoices } from './account/voice-store.ts';

export type KugelStore = ReturnType<typeof createKugelStore>;

/** Voices and dictionaries, which all keys of the local server share. */
export const createKugelStore = (state: Pick<SharedState, 'document'>, catalogue: VoiceCatalogue) => ({
  voices: state.document(accountVoices(catalogue)),
  dictionaries: state.document(ACCOUNT_DICTIONARIES),
});

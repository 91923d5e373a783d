import { shown } from '#protocol/core/issue.ts';
import type { GenerationConfig } from '#protocol/kugel/wire/client-frames.ts';
import { PROJECT_ID, selectionIssues } from '#protocol/kugel/wire/settings.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import type { SharedState } from '../state/state.ts';
import type { VendorParts } from '../vendor-server.ts';
import { errorOf, invalid, invalidFields, type KugelRefusal, openAccounts } from './access.ts';
import { ACCOUNT_DICTIONARIES } from './account/dictionaries.ts';
import { accountVoices } from './account/voice-store.ts';

export type KugelStore = ReturnType<typeof createKugelStore>;
export type KugelServices = ReturnType<typeof createKugelServices>;

/** All that the sockets and the calls of this vendor share. */
export const createKugelServices = (parts: VendorParts) => ({
  ...parts,
  accounts: openAccounts(parts),
  store: createKugelStore(parts.state, parts.catalogue),
});

/** Collaborators of a session of any Kugel endpoint. */
export interface SessionOptions {
  connection: Connection;
  services: Pick<KugelServices, 'engine' | 'log' | 'store'>;
  account: KeyAccount;
  meter: EndpointMeter;
  /** Sent in the handshake and in error frames. */
  requestId: string;
}

/** Voices and dictionaries, which all keys of the local server share. */
export const createKugelStore = (state: Pick<SharedState, 'document'>, catalogue: VoiceCatalogue) => ({
  voices: state.document(accountVoices(catalogue)),
  dictionaries: state.document(ACCOUNT_DICTIONARIES),
});

/** Settings that name what an account has. */
type Names = Partial<{
  [K in 'voice_id' | 'dictionary_ids' | 'project_id']: GenerationConfig[K] | undefined;
}>;

/**
 * Refuses an unknown voice, and a selection of dictionaries that are unknown or of no or a foreign project.
 * @param sticky settings of earlier messages, to which a selection or its project may belong
 */
export function unknownNames(
  { voices, dictionaries }: KugelStore,
  { voice_id, dictionary_ids, project_id }: Names,
  sticky: Names = {},
): KugelRefusal | null {
  if (voice_id !== undefined && !voices.current.find(voice_id)) {
    return errorOf(404, `Voice not found: ${shown(voice_id)}`);
  }
  if (dictionary_ids === undefined && project_id === undefined) return null;
  const ids = dictionary_ids ?? sticky.dictionary_ids ?? [];
  const project = project_id ?? sticky.project_id;
  const issues = selectionIssues({ dictionary_ids: ids, project_id: project });
  if (issues.length > 0) return invalidFields(issues);
  if (ids.length > 0 && project !== PROJECT_ID) return errorOf(403, `Forbidden: project ${project}`);
  const unknown = dictionaries.current.unknown(ids);
  return unknown.length > 0
    ? invalid(`dictionary_ids: expected ids of this account's dictionaries, got ${unknown.join(', ')}`)
    : null;
}

import { KeyAccounts } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-server.ts';
import { createDeepgramAccess } from './access.ts';
import { ModelVoices } from './voices.ts';

export type DeepgramServices = ReturnType<typeof createDeepgramServices>;

/** All that the sockets and the calls of this vendor share. */
export const createDeepgramServices = (parts: VendorParts) => ({
  ...parts,
  access: createDeepgramAccess(new KeyAccounts('deepgram', parts)),
  voices: new ModelVoices(parts.catalogue),
});

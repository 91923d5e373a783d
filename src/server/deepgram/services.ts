import { meteredTurns } from '../metrics/engine-watch.ts';
import { KeyAccounts } from '../state/key-accounts.ts';
import type { VendorParts } from '../vendor-parts.ts';
import { createDeepgramAccess } from './access.ts';
import { ModelVoices } from './voices.ts';

export type DeepgramServices = ReturnType<typeof createDeepgramServices>;

/** All that the sockets and the calls of this vendor share. */
export const createDeepgramServices = ({ state, ...parts }: VendorParts) => ({
  ...parts,
  restEngine: meteredTurns(parts.engine, parts.meter('deepgram-rest')),
  access: createDeepgramAccess(new KeyAccounts('deepgram', { ...parts, state })),
  voices: new ModelVoices(parts.catalogue),
});

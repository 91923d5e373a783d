import { meteredTurns } from '../metrics/engine-watch.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { VendorParts } from '../vendor-parts.ts';
import { createCartesiaAccess } from './access.ts';
import { VOICE_IDS } from './voices.ts';

export type CartesiaServices = ReturnType<typeof createCartesiaServices>;

/** All that the socket and the calls of this vendor share. */
export const createCartesiaServices = ({ state, ...parts }: VendorParts) => ({
  ...parts,
  restEngine: meteredTurns(parts.engine, parts.meter('cartesia-rest')),
  access: createCartesiaAccess({ ...parts, state }),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});

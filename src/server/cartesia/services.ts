import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { VendorParts } from '../vendor-server.ts';
import { createCartesiaAccess } from './access.ts';
import { VOICE_IDS } from './voices.ts';

export type CartesiaServices = ReturnType<typeof createCartesiaServices>;

/** All that the socket and the calls of this vendor share. */
export const createCartesiaServices = (parts: VendorParts) => ({
  ...parts,
  access: createCartesiaAccess(parts),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});

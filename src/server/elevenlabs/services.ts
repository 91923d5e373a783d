import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { VendorParts } from '../vendor-server.ts';
import { createElevenLabsAccess } from './access.ts';
import { VOICE_IDS } from './voices.ts';

export type ElevenLabsServices = ReturnType<typeof createElevenLabsServices>;

/** All that the sockets and the calls of this vendor share. */
export const createElevenLabsServices = (parts: VendorParts) => ({
  ...parts,
  access: createElevenLabsAccess(parts),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});

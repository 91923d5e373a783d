import { meteredTurns } from '../metrics/engine-watch.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { VendorParts } from '../vendor-parts.ts';
import { createElevenLabsAccess } from './access.ts';
import { VOICE_IDS } from './voices.ts';

export type ElevenLabsServices = ReturnType<typeof createElevenLabsServices>;

/** All that the sockets and the calls of this vendor share. */
export const createElevenLabsServices = ({ state, ...parts }: VendorParts) => ({
  ...parts,
  restEngine: meteredTurns(parts.engine, parts.meter('elevenlabs-rest')),
  access: createElevenLabsAccess({ ...parts, state }),
  voices: new VoiceIds(parts.catalogue, VOICE_IDS),
});

import type { Clock } from '#lib/clock.ts';
import type { Keys } from '../keys.ts';
import type { Log } from '../log.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Engine } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { SharedState } from '../state/state.ts';
import { createElevenLabsAccess } from './access.ts';
import { VOICE_IDS } from './voices.ts';

interface Options {
  engine: Engine;
  catalogue: VoiceCatalogue;
  clock: Clock;
  log: Log;
  meter: Meter;
  keys: Keys;
  state: SharedState;
}

export type ElevenLabsServices = ReturnType<typeof createElevenLabsServices>;

/** All that the sockets and the calls of this vendor share. */
export const createElevenLabsServices = ({ state, ...options }: Options) => ({
  ...options,
  restEngine: meteredTurns(options.engine, options.meter('elevenlabs-rest')),
  access: createElevenLabsAccess({ ...options, state }),
  voices: new VoiceIds(options.catalogue, VOICE_IDS),
});

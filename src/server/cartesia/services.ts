import type { Clock } from '#lib/clock.ts';
import type { Keys } from '../keys.ts';
import type { Log } from '../log.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Engine } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import type { SharedState } from '../state/state.ts';
import { CartesiaAccess } from './access.ts';
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

export type CartesiaServices = ReturnType<typeof createCartesiaServices>;

/** All that the socket and the calls of this vendor share. */
export const createCartesiaServices = ({ state, ...options }: Options) => ({
  ...options,
  restEngine: meteredTurns(options.engine, options.meter('cartesia-rest')),
  access: new CartesiaAccess({ ...options, state }),
  voices: new VoiceIds(options.catalogue, VOICE_IDS),
});

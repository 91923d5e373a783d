import type { Clock } from '#lib/clock.ts';
import type { Keys } from '../keys.ts';
import type { Log } from '../log.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { Meter } from '../metrics/meter.ts';
import type { Engine } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { KeyAccounts } from '../state/key-accounts.ts';
import type { SharedState } from '../state/state.ts';
import { createDeepgramAccess } from './access.ts';
import { ModelVoices } from './voices.ts';

interface Options {
  engine: Engine;
  catalogue: VoiceCatalogue;
  clock: Clock;
  log: Log;
  meter: Meter;
  keys: Keys;
  state: SharedState;
}

export type DeepgramServices = ReturnType<typeof createDeepgramServices>;

/** All that the sockets and the calls of this vendor share. */
export const createDeepgramServices = ({ state, ...options }: Options) => ({
  ...options,
  restEngine: meteredTurns(options.engine, options.meter('deepgram-rest')),
  access: createDeepgramAccess(new KeyAccounts('deepgram', { ...options, state })),
  voices: new ModelVoices(options.catalogue),
});

import type { Clock } from '#lib/clock.ts';
import type { Keys } from './keys.ts';
import type { Log } from './log.ts';
import type { Meter } from './metrics/meter.ts';
import type { Engine } from './speech/engine.ts';
import type { VoiceCatalogue } from './speech/voices/voice-catalogue.ts';
import type { SharedState } from './state/state.ts';

/** What the sockets and the calls of any vendor need of the server. */
export interface VendorParts {
  engine: Engine;
  catalogue: VoiceCatalogue;
  clock: Clock;
  log: Log;
  meter: Meter;
  keys: Keys;
  state: SharedState;
}

import type { Clock } from '#lib/clock.ts';
import type { SocketLimits } from './environment.ts';
import type { Keys } from './keys.ts';
import type { Log } from './log.ts';
import type { Meter } from './metrics/meter.ts';
import type { VendorRest } from './rest.ts';
import type { SocketEndpoint } from './socket-endpoint.ts';
import type { Engine } from './speech/engine.ts';
import type { VoiceCatalogue } from './speech/voices/voice-catalogue.ts';
import type { SharedState } from './state/state.ts';
import type { VoiceSamples } from './voice-samples.ts';

/** What the sockets and the calls of any vendor need of the server. */
export interface VendorParts {
  engine: Engine;
  /** The engine of calls, each of whose requests is counted as a turn. */
  restEngine: Engine;
  catalogue: VoiceCatalogue;
  samples: VoiceSamples;
  clock: Clock;
  log: Log;
  meter: Meter;
  keys: Keys;
  limits: SocketLimits;
  state: SharedState;
  /** Aborts when the server begins to shut down. */
  draining: AbortSignal;
  /** Why clients should go elsewhere; null where new work is taken. */
  notReady(): Promise<string | null>;
}

/** The local server of one vendor. */
export interface VendorServer {
  /** First parts of the paths below its prefix. `VOICEWIRE_ROOT` serves them without the prefix, because the page has none of them. */
  pathRoots: readonly string[];
  /** Paths of the vendor's sockets that are not offered. */
  missingSockets?: readonly string[];
  open(parts: VendorParts): {
    /** One for each endpoint of the vendor. */
    sockets: readonly SocketEndpoint[];
    rest: VendorRest;
  };
}

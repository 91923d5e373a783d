import type { Clock } from '#lib/clock.ts';
import { createKeys } from './keys.ts';
import { createLog } from './log.ts';
import { NO_METER } from './metrics/meter.ts';
import type { Engine } from './speech/engine.ts';
import { LOCAL_CATALOGUE } from './speech/voices/voice-catalogue.ts';
import { openMemoryState } from './state/memory-state.ts';
import type { VendorParts } from './vendor-server.ts';
import { createVoiceSamples } from './voice-samples.ts';

/** The parts of a ready server that counts and logs nothing. */
export const createTestParts = (engine: Engine, clock: Clock): VendorParts => ({
  engine,
  restEngine: engine,
  catalogue: LOCAL_CATALOGUE,
  samples: createVoiceSamples(engine),
  clock,
  log: createLog('silent'),
  meter: NO_METER,
  keys: createKeys(),
  limits: { sockets: 100, socketsOfOne: 100 },
  state: openMemoryState(),
  draining: new AbortController().signal,
  notReady: async () => null,
});

import { FileMemory } from '../answers/file-body.ts';
import { faultFields } from '../log.ts';
import type { VendorParts } from '../vendor-server.ts';
import { createAccess, GENERATION_LIMIT } from './access.ts';
import { DesignedVoices } from './designed-voices.ts';
import { Jobs } from './jobs.ts';
import { Quota } from './quota.ts';
import { createRecorder } from './recorder.ts';
import { savedVoices } from './saved-voices.ts';

export type MurmrServices = ReturnType<typeof createMurmrServices>;

/** All that the calls and the socket of this vendor share. */
export function createMurmrServices(parts: VendorParts) {
  const { restEngine, catalogue, clock, log, keys, limits, state, draining } = parts;
  const quota = new Quota(clock, state.sums);
  const files = new FileMemory();
  const recorder = createRecorder(restEngine, clock, files);
  const failed = (error: unknown) => log.error(faultFields(error), 'job failed');
  return {
    ...parts,
    quota,
    access: createAccess({
      keys,
      quota,
      places: state.places,
      window: state.slidingWindow('murmr-generations', GENERATION_LIMIT),
      connectionsOfOne: limits.socketsOfOne,
    }),
    voices: state.document(savedVoices(clock, catalogue)),
    designed: new DesignedVoices(state.notes('murmr designs')),
    recorder,
    files,
    jobs: new Jobs({ clock, recorder, failed, draining }),
  };
}

import { FileMemory } from '../answers/file-body.ts';
import { faultFields } from '../log.ts';
import type { VendorParts } from '../vendor-server.ts';
import { createAccess } from './access.ts';
import { createRecorder, Jobs } from './jobs.ts';
import { savedVoices } from './saved-voices.ts';
import { DesignedVoices } from './voice-choice.ts';

export type MurmrServices = ReturnType<typeof createMurmrServices>;

/** All that the calls and the socket of this vendor share. */
export function createMurmrServices(parts: VendorParts) {
  const { restEngine, catalogue, clock, log, state, draining } = parts;
  const files = new FileMemory();
  const recorder = createRecorder(restEngine, clock, files);
  const failed = (error: unknown) => log.error(faultFields(error), 'job failed');
  return {
    ...parts,
    access: createAccess(parts),
    voices: state.document(savedVoices(clock, catalogue)),
    designed: new DesignedVoices(state.notes('murmr designs')),
    recorder,
    files,
    jobs: new Jobs({ clock, recorder, failed, draining }),
  };
}

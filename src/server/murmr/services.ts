import type { Clock } from '#lib/clock.ts';
import { UnreadFiles } from '../answers/file-body.ts';
import type { DataFile } from '../data-file.ts';
import type { Keys } from '../keys.ts';
import { faultFields, type Log } from '../log.ts';
import type { Engine } from '../speech/engine.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { createAccess } from './access.ts';
import { DesignedVoices } from './designed-voices.ts';
import { Jobs } from './jobs.ts';
import { Quota } from './quota.ts';
import { createRecorder } from './recorder.ts';
import { SavedVoices } from './saved-voices.ts';

interface Options {
  engine: Engine;
  catalogue: VoiceCatalogue;
  clock: Clock;
  log: Log;
  keys: Keys;
  data: DataFile;
}

export type MurmrServices = ReturnType<typeof createMurmrServices>;

/** All that the calls and the socket of this vendor share. */
export function createMurmrServices({ engine, catalogue, clock, log, keys, data }: Options) {
  const quota = new Quota(clock);
  const unread = new UnreadFiles();
  const recorder = createRecorder(engine, clock, unread);
  const failed = (error: unknown) => log.error(faultFields(error), 'job failed');
  return {
    engine,
    catalogue,
    clock,
    log,
    keys,
    quota,
    access: createAccess(keys, quota),
    voices: new SavedVoices(data, clock, catalogue),
    designed: new DesignedVoices(),
    recorder,
    unread,
    jobs: new Jobs({ clock, recorder, failed }),
  };
}

import type { CallPort } from '#lib/worker-calls.ts';
import { browserRecordingEnvironment } from './environment.ts';
import { Recordings } from './recordings.ts';

// The types of pages and workers exclude one another.
new Recordings({ environment: browserRecordingEnvironment }).serve(globalThis as unknown as CallPort);

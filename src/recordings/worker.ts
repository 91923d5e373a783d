import type { CallPort } from '#lib/worker-calls.ts';
import { browserRecordingEnvironment } from './environment.ts';
import { Recordings } from './recordings.ts';

// The types of pages and workers exclude one another.
const port = globalThis as unknown as CallPort;
new Recordings({ environment: browserRecordingEnvironment }).serve(port);

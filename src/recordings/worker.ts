import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { browserRecordingEnvironment } from './environment.ts';
import { Recordings } from './recordings.ts';

// The types of pages and workers exclude one another.
const scope = globalThis as unknown as CallPort;

const recordings = new Recordings({ environment: browserRecordingEnvironment });
serveCalls(scope, recordings, recordings.viewer);

import { systemClock } from '#lib/clock.ts';
import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { browserRecordingEnvironment } from './environment.ts';
import { Recordings } from './recordings.ts';

// The types of a page and of a worker exclude one another, so the scope is described by what is used of it.
const scope = globalThis as unknown as CallPort;

serveCalls(scope, new Recordings({ environment: browserRecordingEnvironment(systemClock) }));

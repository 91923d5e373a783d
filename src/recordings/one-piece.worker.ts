import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { HarThread } from './files/har-thread.ts';
import { SEARCHER } from './view/search.ts';

// Each search and each import has a worker of its own: a regular expression and a parse end only with their worker.
serveCalls(globalThis as unknown as CallPort, SEARCHER, new HarThread());

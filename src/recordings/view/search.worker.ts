import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { SEARCHER } from './search.ts';

serveCalls(globalThis as unknown as CallPort, SEARCHER);

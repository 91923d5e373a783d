import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { SearchThread } from './worker-searcher.ts';

serveCalls(globalThis as unknown as CallPort, new SearchThread());

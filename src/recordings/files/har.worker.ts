import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { HarThread } from './har-thread.ts';

serveCalls(globalThis as unknown as CallPort, new HarThread());

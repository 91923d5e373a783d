import { holdMessages } from '#lib/held-messages.ts';
import { type CallPort, serveCalls } from '#lib/worker-calls.ts';
import { loadProtocols } from '#protocol/protocols.ts';
import { HarThread } from './files/har-thread.ts';
import { SEARCHER } from './view/search.ts';

// Each search and each import has a worker of its own: a regular expression and a parse end only with their worker.
const port = globalThis as unknown as CallPort;
serveCalls(port, SEARCHER, new HarThread());
holdMessages(port, () => loadProtocols());

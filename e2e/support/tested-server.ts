import { startLocalServer } from '../bench/local-server.ts';
import { CANARY } from './canary.ts';

/** Nothing listens there, so that no test reaches the vendor. */
const NOWHERE = 'ws://127.0.0.1:9/kugel';

/**
 * Starts the server of all page tests, on a port of its own, so that runs pass beside each other. Playwright calls this
 * before the workers, which inherit the variables.
 */
export default async function startTestedServer(): Promise<() => Promise<void>> {
  const server = await startLocalServer({ VOICEWIRE_KEYS: CANARY, VOICEWIRE_RELAY_KUGEL: NOWHERE });
  process.env.E2E_ORIGIN = server.http;
  return server.stop;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '#lib/clock.ts';
import { type Application, type ApplicationOptions, createApplication } from './application.ts';
import { createKeys } from './keys.ts';
import { createLog } from './log.ts';
import { onUpgrade } from './on-upgrade.ts';
import { hostsOf } from './origin.ts';
import { createEspeakEngine } from './speech/espeak/espeak-engine.ts';
import { createTestEngine } from './test-engine.test-helper.ts';

/** The whole server on a port of its own, with the real engine unless another is given. */
export interface RunningServer {
  http: string;
  ws: string;
  application: Application;
  stop(): Promise<void>;
}

type Options = Partial<ApplicationOptions> & { timesFaster?: number };

/** A server, behind the relay of another one, and behind faults that change nothing, in the test project `relay`. */
export async function startTestServer(options: Options = {}): Promise<RunningServer> {
  const server = await startOneServer(options);
  if (process.env.VOICEWIRE_TEST_WAY !== 'relay') return server;
  const relay = await startRelayTo(server);
  const behindFaults = (address: string) => address.replace(/\/relay$/, '/faults/seed=1/relay');
  return {
    ws: behindFaults(relay.ws),
    http: behindFaults(relay.http),
    application: server.application,
    async stop() {
      await server.stop();
      await relay.stop();
    },
  };
}

/** A server that relays to another one. Its addresses are those of the relay. */
export async function startRelayTo(target: RunningServer, options: Options = {}): Promise<RunningServer> {
  const relays = { kugel: new URL(`${target.ws}/kugel`), murmr: new URL(`${target.ws}/murmr`) };
  const relay = await startOneServer({ engine: createTestEngine(), relays, ...options });
  return { ...relay, ws: `${relay.ws}/relay`, http: `${relay.http}/relay` };
}

async function startOneServer(options: Options): Promise<RunningServer> {
  const { timesFaster, ...others } = options;
  const engine = options.engine ?? (await createEspeakEngine({ threads: 1 }));
  const application = createApplication({
    clock: timesFaster ? fasterClock(timesFaster) : systemClock,
    log: createLog('silent'),
    keys: createKeys(),
    answersTo: hostsOf('127.0.0.1'),
    ...others,
    engine,
  });
  const http = createServer((request, response) => application.handle(request, response));
  onUpgrade(http, application.upgrade);
  await new Promise<void>((ready) => http.listen(0, '127.0.0.1', ready));
  const { port } = http.address() as AddressInfo;
  return {
    http: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    application,
    async stop() {
      await application.shutDown();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
      await engine.close();
    },
  };
}

/** Five seconds pass in a fraction of that, over the same code and a real socket. */
const fasterClock = (times: number): Clock => ({
  nowMs: () => systemClock.nowMs() * times,
  after: (delayMs, run) => systemClock.after(delayMs / times, run),
});

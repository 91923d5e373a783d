import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '#lib/clock.ts';
import { CallBodies } from '../call-bodies.ts';
import { createKeys } from '../keys.ts';
import { createLog } from '../log.ts';
import { NO_METER } from '../metrics/meter.ts';
import { onUpgrade } from '../on-upgrade.ts';
import { addressOf } from '../reply.ts';
import type { Engine } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { createUpgrades } from '../upgrade.ts';
import { createVoiceSamples } from '../voice-samples.ts';
import { createCartesiaEndpoint } from './endpoint.ts';
import { createCartesiaRest } from './rest.ts';
import { createCartesiaServices } from './services.ts';

/** The socket and the calls of this vendor alone, on an HTTP server of their own. */
export async function startCartesia(engine: Engine, clock: Clock) {
  const state = openMemoryState();
  const shared = { clock, log: createLog('silent'), meter: NO_METER, keys: createKeys(), state };
  const services = createCartesiaServices({ ...shared, engine, catalogue: LOCAL_CATALOGUE });
  const samples = createVoiceSamples(engine);
  const rest = createCartesiaRest(services, samples, new CallBodies(clock));
  const endpoint = createCartesiaEndpoint(services);
  const upgrades = createUpgrades({
    ...shared,
    answersTo: () => true,
    endpointAt: ({ pathname }) => (pathname === '/cartesia/tts/websocket' ? endpoint : null),
    capture: null,
    limits: { sockets: 100, socketsOfOne: 100 },
  });
  const server = createServer((request, response) => {
    const url = addressOf(request);
    response.setHeader('x-request-id', randomUUID());
    if (url) void rest(request, response, url, () => response.end());
  });
  onUpgrade(server, upgrades.upgrade);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    http: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    async stop() {
      await upgrades.shutDown();
      samples.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

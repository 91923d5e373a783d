import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '#lib/clock.ts';
import { CallBodies } from '../call-bodies.ts';
import { onUpgrade } from '../on-upgrade.ts';
import { addressOf } from '../reply.ts';
import { createRest } from '../rest.ts';
import type { Engine } from '../speech/engine.ts';
import { createUpgrades } from '../upgrade.ts';
import { createTestParts } from '../vendor-parts.test-helper.ts';
import { server as cartesiaServer } from './server.ts';

/** The socket and the calls of this vendor alone, on an HTTP server of their own. */
export async function startCartesia(engine: Engine, clock: Clock) {
  const parts = createTestParts(engine, clock);
  const {
    sockets: [endpoint = null],
    rest,
  } = cartesiaServer.open(parts);
  const calls = createRest({ ...rest, prefix: '/cartesia', bodies: new CallBodies(clock), log: parts.log });
  const upgrades = createUpgrades({
    ...parts,
    answersTo: () => true,
    endpointAt: ({ pathname }) => (pathname === '/cartesia/tts/websocket' ? endpoint : null),
    capture: null,
  });
  const server = createServer((request, response) => {
    const url = addressOf(request);
    response.setHeader('x-request-id', randomUUID());
    if (url) void calls(request, response, url, () => response.end());
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
      parts.samples.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

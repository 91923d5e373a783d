import { errorName, RATE_LIMITED } from '#protocol/murmr/wire/errors.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { bearerIn } from '../keys.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { VendorRest } from '../rest.ts';
import type { SocketEnding, SocketEndpoint } from '../socket-endpoint.ts';
import type { VendorServer } from '../vendor-server.ts';
import { type MurmrRefusal, refusal, UNREACHABLE } from './access.ts';
import { RealtimeSession } from './realtime-session.ts';
import { createMurmrServices, type MurmrServices } from './services.ts';
import { speechRoutes } from './speech-routes.ts';
import { previewRoute, savedVoiceRoutes } from './voice-routes.ts';

const FULL: MurmrRefusal = { message: 'Too many connections: the server is full', code: RATE_LIMITED };

const endingOf = ({ code, message }: MurmrRefusal): SocketEnding => ({
  frame: { type: 'error', message, code },
  code,
  reason: errorName(code) ?? '',
});

/** `/v1/realtime`: the handshake carries no key, the config message does. */
function createRealtimeEndpoint({ engine, ...services }: MurmrServices): SocketEndpoint {
  const meter = services.meter('murmr');
  // Each generation is one request to the engine.
  const speaking = { ...services, engine: meteredTurns(engine, meter) };
  return {
    captureAs: 'murmr',
    meter,
    restart: GOING_AWAY_CLOSE,
    admit: ({ requestId }) => ({
      headers: [],
      open: (connection) => new RealtimeSession({ connection, services: speaking, meter, requestId }),
    }),
    turnedAway: { full: endingOf(FULL), unreachable: endingOf(UNREACHABLE) },
  };
}

/** The vendor's REST calls. */
const murmrRest = (services: MurmrServices): VendorRest => ({
  error: (_, error) => ({ error }),
  notOffered: [405, 'Method not allowed'],
  missing: [],
  openRoutes: (rest) => previewRoute(rest, services),
  accountOf({ env }) {
    const key = bearerIn(env.incoming.headers);
    const account = services.access.accounts.of(key ?? '');
    if (account) return account;
    throw refusal(401, key === undefined ? 'Missing API key' : 'Invalid API key');
  },
  routes(rest) {
    rest.use(async (c, next) => {
      await next();
      const headers = await services.access.quotaOf(c.var.account);
      for (const each of Object.entries(headers)) c.header(...each);
    });
    savedVoiceRoutes(rest, services);
    speechRoutes(rest, services);
  },
});

export const server: VendorServer = {
  pathRoots: ['v1'],
  open(parts) {
    const services = createMurmrServices(parts);
    return {
      sockets: [createRealtimeEndpoint(services)],
      rest: murmrRest(services),
    };
  },
};

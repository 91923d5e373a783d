import { cartesia } from '#protocol/cartesia/endpoints.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import {
  type AskedUpgrade,
  closeTurnedAway,
  leaseOfHandshake,
  type SocketEndpoint,
} from '../socket-endpoint.ts';
import type { VendorServer } from '../vendor-server.ts';
import {
  accountIn,
  type Call,
  type CartesiaServices,
  createCartesiaServices,
  credentialIn,
  refusal,
  versionIn,
} from './access.ts';
import { cartesiaRest } from './rest.ts';
import { CartesiaSession } from './session.ts';

/** `/tts/websocket`: version and key are judged at the handshake. */
function createCartesiaEndpoint({ engine, ...services }: CartesiaServices): SocketEndpoint {
  const meter = services.meter(cartesia.id);
  // Each generation is one request to the engine.
  const speaking = { ...services, engine: meteredTurns(engine, meter) };
  const callOf = ({ request: { headers }, url, requestId }: AskedUpgrade): Call => ({
    headers,
    url,
    requestId,
  });
  return {
    captureAs: cartesia.id,
    meter,
    restart: GOING_AWAY_CLOSE,
    keyOf: (asked) => credentialIn(callOf(asked)),
    async admit(asked, left) {
      const call = callOf(asked);
      const { requestId } = asked;
      const version = versionIn(call);
      const account = await accountIn(call, speaking);
      const admitted = await services.accounts.admit(account, 'sockets');
      if ('refusal' in admitted) throw refusal(call, { name: admitted.refusal });
      const lease = leaseOfHandshake(admitted, left);
      return {
        headers: [],
        open: (connection) =>
          new CartesiaSession({ connection, services: speaking, meter, requestId, account, lease, version }),
      };
    },
    turnedAway: closeTurnedAway('too many concurrent requests'),
  };
}

export const server: VendorServer = {
  pathRoots: ['tts', 'voices', 'access-token', 'accents'],
  open(parts) {
    const services = createCartesiaServices(parts);
    return {
      sockets: [createCartesiaEndpoint(services)],
      rest: cartesiaRest(services),
    };
  },
};

import { cartesia } from '#protocol/cartesia/speech.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import { type Asked, closeTurnedAway, type SocketEndpoint } from '../upgrade.ts';
import { type Call, credentialIn, refusal, versionIn } from './calls.ts';
import type { CartesiaServices } from './services.ts';
import { CartesiaSession } from './session.ts';

/** `/tts/websocket`: version and key are judged at the handshake (A11 to A13). */
export function createCartesiaEndpoint({ engine, ...services }: CartesiaServices): SocketEndpoint {
  const { access } = services;
  const meter = services.meter(cartesia.id);
  // Each generation is one request to the engine.
  const speaking = { ...services, engine: meteredTurns(engine, meter) };
  const callOf = ({ request: { headers }, url, requestId }: Asked): Call => ({ headers, url, requestId });
  return {
    captureAs: cartesia.id,
    meter,
    restart: GOING_AWAY_CLOSE,
    keyOf: (asked) => credentialIn(callOf(asked)),
    async admit(asked, left) {
      const call = callOf(asked);
      const { requestId } = asked;
      const version = versionIn(call);
      const account = await access.accountIn(call);
      const lease = await access.admit(account, 'sockets');
      if (typeof lease === 'string') throw refusal(call, { name: lease });
      left.addEventListener('abort', lease.leave);
      if (left.aborted) lease.leave();
      return {
        headers: [],
        open: (connection) =>
          new CartesiaSession({ connection, services: speaking, meter, requestId, account, lease, version }),
      };
    },
    turnAway: closeTurnedAway('too many concurrent requests'),
  };
}

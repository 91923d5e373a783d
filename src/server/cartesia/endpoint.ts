import { Readable } from 'node:stream';
import { cartesia } from '#protocol/cartesia/speech.ts';
import type { CartesiaError } from '#protocol/cartesia/wire/errors.ts';
import type { Version } from '#protocol/cartesia/wire/versions.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { RefusedUpgrade, SocketEndpoint } from '../upgrade.ts';
import { type Call, credentialIn, versionIn } from './access.ts';
import { httpError } from './http-errors.ts';
import type { CartesiaServices } from './services.ts';
import { CartesiaSession } from './session.ts';

/** Of a full server, which has accepted the socket. Ours. */
const TRY_AGAIN = 1013;

/** `/tts/websocket`: version and key are judged at the handshake (A11 to A13). */
export function createCartesiaEndpoint({ engine, ...services }: CartesiaServices): SocketEndpoint {
  const { access, keys } = services;
  const meter = services.meter(cartesia.id);
  // Each generation is one request to the engine.
  const speaking = { ...services, engine: meteredTurns(engine, meter) };
  return {
    captureAs: cartesia.id,
    meter,
    restart: GOING_AWAY_CLOSE,
    keyOf(asked) {
      const key = credentialIn(callOf(asked));
      return key === null || keys.isShared(key) ? null : key;
    },
    async admit(asked, left) {
      const { requestId } = asked;
      const call = callOf(asked);
      const found = versionIn(call);
      if ('refusal' in found) return refused(found.refusal, null, requestId);
      const { version } = found;
      const key = credentialIn(call);
      const account = key === null ? null : await access.of(key);
      if (!account) return refused({ name: 'unauthorized' }, version, requestId);
      const lease = await access.connect(account);
      if (typeof lease === 'string') return refused({ name: lease }, version, requestId);
      left.addEventListener('abort', lease.leave);
      if (left.aborted) lease.leave();
      return {
        headers: [],
        open: (connection) =>
          new CartesiaSession({ connection, services: speaking, meter, requestId, account, lease, version }),
      };
    },
    turnAway(connection, why) {
      const { code, reason } =
        why === 'shutting down'
          ? GOING_AWAY_CLOSE
          : { code: TRY_AGAIN, reason: 'too many concurrent requests' };
      connection.close(code, reason);
    },
  };
}

const callOf = ({
  request: { headers },
  url,
}: {
  request: { headers: Call['headers'] };
  url: URL;
}): Call => ({
  headers,
  url,
});

function refused(error: CartesiaError, version: Version | null, requestId: string): RefusedUpgrade {
  const { status, body } = httpError(error, version, requestId);
  const isText = typeof body === 'string';
  const type = isText ? 'text/plain; charset=utf-8' : 'application/json';
  return {
    status,
    why: {
      headers: [`Content-Type: ${type}`, `x-request-id: ${requestId}`],
      body: Readable.from([isText ? body : JSON.stringify(body)]),
    },
  };
}

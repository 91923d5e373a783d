import { errorName, RATE_LIMITED } from '#protocol/murmr/wire/errors.ts';
import { GOING_AWAY_CLOSE } from '../connection.ts';
import { meteredTurns } from '../metrics/engine-watch.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import { type MurmrRefusal, UNREACHABLE } from './access.ts';
import { RealtimeSession } from './realtime-session.ts';
import type { MurmrServices } from './services.ts';

const FULL: MurmrRefusal = { message: 'Too many connections: the server is full', code: RATE_LIMITED };

/** `/v1/realtime`: the handshake carries no key, the config message does (`facts 6`). */
export function createRealtimeEndpoint({ engine, access, log, ...services }: MurmrServices): SocketEndpoint {
  const { catalogue } = services;
  const meter = services.meter('murmr');
  // Each generation is one request to the engine.
  const speaking = meteredTurns(engine, meter);
  return {
    captureAs: 'murmr',
    meter,
    restart: GOING_AWAY_CLOSE,
    admit: ({ requestId }) => ({
      headers: [],
      open: (connection) =>
        new RealtimeSession({ connection, engine: speaking, catalogue, access, meter, requestId, log }),
    }),
    turnAway(connection, why) {
      if (why === 'shutting down') {
        connection.close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
        return;
      }
      const refusal = why === 'full' ? FULL : UNREACHABLE;
      connection.send(JSON.stringify({ type: 'error', ...refusal }));
      connection.close(refusal.code, errorName(refusal.code) ?? '');
    },
  };
}

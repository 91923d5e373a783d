import { RATE_LIMITED } from '#protocol/murmr/wire/errors.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import { RESTART, RealtimeSession } from './realtime-session.ts';
import type { MurmrServices } from './services.ts';

/** `/v1/realtime`: the handshake carries no key, the config message does (`facts 6`). */
export function createRealtimeEndpoint({ engine, catalogue, access, log }: MurmrServices): SocketEndpoint {
  return {
    captureAs: 'murmr',
    restart: RESTART,
    admit: ({ requestId }) => ({
      headers: [],
      open: (connection) => new RealtimeSession({ connection, engine, catalogue, access, requestId, log }),
    }),
    turnAway(connection, why) {
      if (why === 'shutting down') {
        connection.close(RESTART.code, RESTART.reason);
        return;
      }
      const message = 'Too many connections: the server is full';
      connection.send(JSON.stringify({ type: 'error', message, code: RATE_LIMITED }));
      connection.close(RATE_LIMITED, 'RATE_LIMITED');
    },
  };
}

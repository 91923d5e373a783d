import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import type { Session } from '../connection.ts';
import type { SocketEndpoint, TurnedAway } from '../upgrade.ts';
import type { VendorParts } from '../vendor-server.ts';
import { CLOSE_TRY_AGAIN } from '../web-socket.ts';
import { admit, HANDSHAKE_HEADERS, keyIn, refuse } from './access.ts';
import type { SessionOptions } from './kugel-session.ts';
import type { KugelStore } from './store.ts';

const TURNED_AWAY: Readonly<Record<TurnedAway, string>> = {
  full: 'too many connections',
  'shutting down': 'the server is shutting down',
  unreachable: 'connections cannot be counted now',
};

/** An endpoint of this vendor. The handshake carries the key (`facts 1.2`). */
export function createKugelEndpoint(
  KugelSession: new (options: SessionOptions) => Session,
  captureAs: 'kugel-stream' | 'kugel-multi' | 'kugel-tts',
  { engine, keys, log, ...parts }: VendorParts,
  store: KugelStore,
): SocketEndpoint {
  const meter = parts.meter(captureAs);
  return {
    captureAs,
    meter,
    restart: { code: CLOSE_RESTARTING, reason: 'restarting' },
    keyOf: ({ request, url }) => keyIn(url, request.headers),
    turnAway: (connection, why) => connection.close(CLOSE_TRY_AGAIN, TURNED_AWAY[why]),
    admit: ({ request, url, requestId }) => ({
      headers: HANDSHAKE_HEADERS,
      open(connection) {
        const admitted = admit(keys, keyIn(url, request.headers));
        if ('account' in admitted) {
          const { account } = admitted;
          return new KugelSession({ connection, engine, account, store, meter, requestId, log });
        }
        refuse({ connection, meter, requestId }, admitted.refusal);
        return null;
      },
    }),
  };
}

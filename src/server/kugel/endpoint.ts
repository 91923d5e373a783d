import type { EndpointId } from '#protocol/core/endpoint.ts';
import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import type { Session } from '../connection.ts';
import { type Keys, keyIn } from '../keys.ts';
import type { Log } from '../log.ts';
import type { Engine } from '../speech/engine.ts';
import type { SocketEndpoint } from '../upgrade.ts';
import { CLOSE_TRY_AGAIN } from '../web-socket.ts';
import { admit, HANDSHAKE_HEADERS, refuse } from './access.ts';
import type { SessionOptions } from './kugel-session.ts';
import type { KugelStore } from './store.ts';

interface Options {
  store: KugelStore;
  engine: Engine;
  keys: Keys;
  log: Log;
}

/** An endpoint of this vendor. The handshake carries the key (`facts 1.2`). */
export function createKugelEndpoint(
  KugelSession: new (options: SessionOptions) => Session,
  captureAs: EndpointId | '',
  { engine, keys, log, store }: Options,
): SocketEndpoint {
  return {
    captureAs,
    restart: { code: CLOSE_RESTARTING, reason: 'restarting' },
    keyOf({ request, url }) {
      const key = keyIn({ url, headers: request.headers });
      return keys.isShared(key) ? null : key;
    },
    turnAway(connection, why) {
      const reason = why === 'full' ? 'too many connections' : 'the server is shutting down';
      connection.close(CLOSE_TRY_AGAIN, reason);
    },
    admit: ({ request, url, requestId }) => ({
      headers: HANDSHAKE_HEADERS,
      open(connection) {
        const admitted = admit(keys, keyIn({ url, headers: request.headers }));
        if ('account' in admitted) {
          return new KugelSession({ connection, engine, account: admitted.account, store, requestId, log });
        }
        refuse(connection, admitted.refusal, requestId);
        return null;
      },
    }),
  };
}

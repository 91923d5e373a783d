import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import type { SocketEndpoint } from '../socket-endpoint.ts';
import { CLOSE_TRY_AGAIN } from '../sockets/web-socket.ts';
import type { VendorServer } from '../vendor-server.ts';
import { AI_GENERATED, admit, keyIn, refuse } from './access.ts';
import { MultiSession } from './multi-session.ts';
import { RequestSession } from './request-session.ts';
import { kugelRest, MISSING_SOCKETS } from './rest.ts';
import { createKugelServices, type KugelServices } from './store.ts';
import { StreamSession } from './stream-session.ts';

const SOCKETS = {
  'kugel-stream': StreamSession,
  'kugel-multi': MultiSession,
  'kugel-tts': RequestSession,
} as const;

/** An endpoint of this vendor. The handshake carries the key. */
function createKugelEndpoint(id: keyof typeof SOCKETS, services: KugelServices): SocketEndpoint {
  const KugelSession = SOCKETS[id];
  const meter = services.meter(id);
  return {
    captureAs: id,
    meter,
    restart: { code: CLOSE_RESTARTING, reason: 'restarting' },
    keyOf: ({ request, url }) => keyIn(url, request.headers),
    turnedAway: {
      full: { code: CLOSE_TRY_AGAIN, reason: 'too many connections' },
      'shutting down': { code: CLOSE_TRY_AGAIN, reason: 'the server is shutting down' },
      unreachable: { code: CLOSE_TRY_AGAIN, reason: 'connections cannot be counted now' },
    },
    admit: ({ request, url, requestId }) => ({
      headers: [`${AI_GENERATED}: true`],
      open(connection) {
        const admitted = admit(keyIn(url, request.headers), services.accounts);
        if ('account' in admitted) {
          const { account } = admitted;
          return new KugelSession({ connection, services, account, meter, requestId });
        }
        refuse({ connection, meter, requestId }, admitted.refusal);
        return null;
      },
    }),
  };
}

export const server: VendorServer = {
  pathRoots: ['v1', 'ws', 'predict', 'ready', '11labs', 'vapi'],
  missingSockets: MISSING_SOCKETS,
  open(parts) {
    const services = createKugelServices(parts);
    return {
      sockets: (['kugel-stream', 'kugel-multi', 'kugel-tts'] as const).map((id) =>
        createKugelEndpoint(id, services),
      ),
      rest: kugelRest(services),
    };
  },
};

import type { VendorServer } from '../vendor-server.ts';
import { createKugelEndpoint } from './endpoint.ts';
import { MultiSession } from './multi-session.ts';
import { RequestSession } from './request-session.ts';
import { kugelRest, MISSING_SOCKETS } from './rest.ts';
import { createKugelStore } from './store.ts';
import { StreamSession } from './stream-session.ts';

export const kugelServer: VendorServer = {
  name: 'kugel',
  pathRoots: ['v1', 'ws', 'predict', 'ready', '11labs', 'vapi'],
  missingSockets: MISSING_SOCKETS,
  open(parts) {
    const store = createKugelStore(parts.state, parts.catalogue);
    return {
      sockets: [
        createKugelEndpoint(StreamSession, 'kugel-stream', parts, store),
        createKugelEndpoint(MultiSession, 'kugel-multi', parts, store),
        createKugelEndpoint(RequestSession, 'kugel-tts', parts, store),
      ],
      rest: kugelRest(parts, store),
    };
  },
};

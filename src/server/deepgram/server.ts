import type { VendorServer } from '../vendor-server.ts';
import { createDeepgramEndpoint } from './endpoint.ts';
import { deepgramRest } from './rest.ts';
import { createDeepgramServices } from './services.ts';

export const deepgramServer: VendorServer = {
  name: 'deepgram',
  pathRoots: ['v1', 'v2'],
  missingSockets: [],
  open(parts) {
    const services = createDeepgramServices(parts);
    return {
      sockets: [
        createDeepgramEndpoint('deepgram', services),
        createDeepgramEndpoint('deepgram-flux', services),
      ],
      rest: deepgramRest(services),
    };
  },
};

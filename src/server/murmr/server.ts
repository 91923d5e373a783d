import type { VendorServer } from '../vendor-server.ts';
import { createRealtimeEndpoint } from './endpoint.ts';
import { murmrRest } from './rest.ts';
import { createMurmrServices } from './services.ts';

export const murmrServer: VendorServer = {
  name: 'murmr',
  pathRoots: ['v1'],
  missingSockets: [],
  open(parts) {
    const services = createMurmrServices(parts);
    return {
      sockets: [createRealtimeEndpoint(services)],
      rest: murmrRest(services),
    };
  },
};

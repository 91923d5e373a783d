import type { VendorServer } from '../vendor-server.ts';
import { createCartesiaEndpoint } from './endpoint.ts';
import { cartesiaRest } from './rest.ts';
import { createCartesiaServices } from './services.ts';

export const cartesiaServer: VendorServer = {
  name: 'cartesia',
  pathRoots: ['tts', 'voices', 'access-token', 'accents'],
  missingSockets: [],
  open(parts) {
    const services = createCartesiaServices(parts);
    return {
      sockets: [createCartesiaEndpoint(services)],
      rest: cartesiaRest(services),
    };
  },
};

import type { VendorServer } from '../vendor-server.ts';
import { createElevenLabsEndpoint } from './endpoint.ts';
import { elevenLabsRest } from './rest.ts';
import { createElevenLabsServices } from './services.ts';

export const elevenLabsServer: VendorServer = {
  name: 'elevenlabs',
  pathRoots: ['v1', 'v2'],
  missingSockets: [],
  open(parts) {
    const services = createElevenLabsServices(parts);
    return {
      sockets: [
        createElevenLabsEndpoint('elevenlabs-stream', services),
        createElevenLabsEndpoint('elevenlabs-multi', services),
      ],
      rest: elevenLabsRest(services),
    };
  },
};

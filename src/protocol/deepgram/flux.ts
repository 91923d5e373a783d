import { deepgramEndpoint } from './vendor.ts';

/** Deepgram `/v2/speak`: turns with figures of their own, and an interrupt that tells what was heard. */
export const deepgramFlux = deepgramEndpoint('flux', {
  id: 'deepgram-flux',
  title: 'Deepgram Flux',
  path: '/v2/speak',
  /** As those of `/v1/speak`. English only. */
  exampleVoices: {
    Marta: 'flux-alexis-en',
    Rupert: 'flux-colin-en',
    Grace: 'flux-hannah-en',
    Walter: 'flux-cliff-en',
    Fiona: 'flux-gemma-en',
    Miles: 'flux-miles-en',
    Robin: 'flux-haley-en',
  },
});

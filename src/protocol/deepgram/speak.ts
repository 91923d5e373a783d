import { deepgramEndpoint } from './vendor.ts';

/** Deepgram `/v1/speak`: a voice in the address, binary audio, and a count for each flush. */
export const deepgram = deepgramEndpoint('aura', {
  id: 'deepgram',
  title: 'Deepgram Aura',
  path: '/v1/speak',
  /** Public voices of the vendor. The local server speaks in voices of its own under their names, so that scenes work at both. */
  exampleVoices: {
    Marta: 'aura-2-thalia-en',
    Rupert: 'aura-2-draco-en',
    Hans: 'aura-2-julius-de',
    Lena: 'aura-2-viktoria-de',
    Greta: 'aura-2-elara-de',
    Grace: 'aura-2-andromeda-en',
    Walter: 'aura-2-zeus-en',
    Fiona: 'aura-2-pandora-en',
    Miles: 'aura-2-apollo-en',
    Robin: 'aura-2-iris-en',
    Camille: 'aura-2-agathe-fr',
    Etienne: 'aura-2-hector-fr',
    Lucia: 'aura-2-carina-es',
    Mateo: 'aura-2-nestor-es',
    Giulia: 'aura-2-livia-it',
    Enzo: 'aura-2-dionisio-it',
    Sanne: 'aura-2-rhea-nl',
    Pieter: 'aura-2-sander-nl',
    Haruka: 'aura-2-izanami-ja',
  },
});

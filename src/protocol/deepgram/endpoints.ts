import type { Endpoint, EndpointsOf } from '../core/endpoint.ts';
import { serversOf } from '../core/servers.ts';
import {
  audioFormatOf,
  FAMILY_SETTINGS,
  type Family,
  MAX_FLUX_TEXT_CHARS,
  MAX_TEXT_CHARS,
  schemeOf,
} from './wire/settings.ts';

declare module '../core/endpoint.ts' {
  interface EndpointIds {
    deepgram: 'page';
    'deepgram-flux': 'page';
  }
}

/** A region has the key and the paths of the first one. If it is down, no other takes over (deepgram-connect-1). */
const region = (id: string, place: string) => ({
  id,
  title: `Deepgram cloud, ${place}`,
  base: `wss://api.${id}.deepgram.com`,
});

/** The common part of both sockets. */
const COMMON = {
  usedBy: 'page',
  vendor: 'Deepgram',
  localPrefix: '/deepgram',
  addressVariables: [],
  keyPlace: { in: 'subprotocol', protocols: (key) => (key === '' ? [] : [schemeOf(key), key]) },
  servers: serversOf(
    { id: 'cloud', title: 'Deepgram cloud', base: 'wss://api.deepgram.com' },
    region('eu', 'EU'),
    region('au', 'Australia'),
    region('in', 'India'),
  ),
  reservedFields: [],
  fixedSettings: [],
  clientIds: [],
  contexts: null,
  flushEndsTurn: true,
  billing: 'none',
  // Nothing of the vendor.
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  // The close code decides.
  retriesAfterErrors: true,
  // The model is the language.
  languageValue: () => undefined,
} satisfies Partial<Endpoint>;

/** The endpoint of a family of models. */
const deepgramEndpoint = <Id extends 'deepgram' | 'deepgram-flux'>(
  family: Family,
  own: Pick<Endpoint<Id>, 'id' | 'title' | 'path' | 'exampleVoices'>,
) => ({
  ...COMMON,
  ...FAMILY_SETTINGS[family],
  ...own,
  // The vendor names no length for `/v2/speak` (deepgram-limit-8).
  limits: { textChars: family === 'flux' ? MAX_FLUX_TEXT_CHARS : MAX_TEXT_CHARS, idleTurnMs: null },
  // Format and rate are always named, because no frame has them.
  initialSettings: { model: own.exampleVoices.Marta, encoding: 'linear16', sample_rate: 24_000 },
  audioFormat: audioFormatOf(family),
});

/** Deepgram `/v1/speak`: a voice in the address, binary audio, and a count for each flush. */
export const deepgram: Endpoint<'deepgram'> = deepgramEndpoint('aura', {
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

/** Deepgram `/v2/speak`: turns with figures of their own, and an interrupt that tells what was heard. */
export const deepgramFlux: Endpoint<'deepgram-flux'> = deepgramEndpoint('flux', {
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

export const deepgramEndpoints: EndpointsOf<'deepgram'> = {
  deepgram,
  'deepgram-flux': deepgramFlux,
};

import type { Endpoint } from '../core/endpoint.ts';
import { explainClose, explainError } from './wire/errors.ts';
import { schemeOf } from './wire/keys.ts';

/** Same key and paths as the first one. A region that is down fails (`facts-deepgram 1.1.1`). */
const region = (id: string, place: string) => ({
  id,
  title: `Deepgram cloud, ${place}`,
  base: `wss://api.${id}.deepgram.com`,
  needsKey: true,
});

/** Price per million characters, in cents (`facts-deepgram 7.2`). */
export const payAsYouGo = (id: string, title: string, overageCentsPerMillion: number) => ({
  id,
  title: `${title}, pay as you go`,
  charactersPerMonth: 0,
  overageCentsPerMillion,
  currency: 'usd',
});

/** The common part of both sockets. */
export const deepgramVendor = {
  vendor: 'Deepgram',
  localPrefix: '/deepgram',
  addressVariables: [],
  keyPlace: { in: 'subprotocol', protocols: (key) => (key === '' ? [] : [schemeOf(key), key]) },
  servers: [
    { id: 'local', title: 'Local server', base: null, needsKey: false },
    { id: 'cloud', title: 'Deepgram cloud', base: 'wss://api.deepgram.com', needsKey: true },
    region('eu', 'EU'),
    region('au', 'Australia'),
    region('in', 'India'),
    { id: 'relay', title: 'Deepgram cloud, relayed', base: null, path: '/relay', needsKey: true },
  ],
  localKey: 'local',
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
  publishedPrice: () => null,
  explainClose,
  explainError,
} satisfies Partial<Endpoint>;

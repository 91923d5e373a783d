import type { Endpoint, PublishedWait } from '../../core/endpoint.ts';
import { audioFormatOf } from './audio-format.ts';
import { kugelCatalogue } from './catalogue.ts';
import { explainClose, explainError } from './errors.ts';
import { publishedPrice } from './price.ts';

const LATENCY_PAGE = 'docs.kugelaudio.com/latency';

/** `facts 1.9`. */
const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'warm end to end',
    from: 'firstText',
    leastMs: 100,
    mostMs: 150,
    includes:
      'network, normalisation, inference and delivery, for a client in the same region with an open connection and the language set',
    source: LATENCY_PAGE,
  },
  {
    title: 'inference',
    from: 'serverStarted',
    leastMs: 40,
    mostMs: 60,
    includes: 'the model alone, from a chunk of text to its first audio',
    source: LATENCY_PAGE,
  },
];

/** What every KugelAudio endpoint has in common. */
export const kugelVendor = {
  vendor: 'KugelAudio',
  localPrefix: '/kugel',
  servers: [
    { id: 'local', title: 'Local server', base: null, needsKey: false },
    { id: 'cloud', title: 'KugelAudio cloud', base: 'wss://api.kugelaudio.com', needsKey: true },
    { id: 'eu', title: 'KugelAudio cloud, EU', base: 'wss://api.eu.kugelaudio.com', needsKey: true },
  ],
  localKey: 'local',
  publishedWaits: PUBLISHED_WAITS,
  can: { cancel: true, wordTimings: true, updateSettings: true },
  // The vendor asks for 1 s after a restart (`facts 1.8`); later tries double.
  reservedFields: ['api_key'],
  reconnectDelaysMs: [1000, 2000, 4000, 8000, 16_000],
  retriesAfterErrors: false,
  languageValue: (code: string) => code,
  audioFormat: audioFormatOf,
  publishedPrice,
  explainClose,
  explainError,
  catalogue: kugelCatalogue,
} satisfies Partial<Endpoint>;

/** Where an endpoint at this path is reached; the key goes into the query, which is all that a browser can set. */
export const addressAt =
  (path: string): Endpoint['address'] =>
  (base, key) =>
    `${base}${path}?api_key=${encodeURIComponent(key)}`;

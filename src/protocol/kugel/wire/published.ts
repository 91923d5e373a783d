import type { PublishedPrice, PublishedWait, Settings } from '../../core/endpoint.ts';
import { DEFAULT_MODEL } from './generation.ts';

const LATENCY_PAGE = 'docs.kugelaudio.com/latency';

/** `facts 1.9`. */
export const PUBLISHED_WAITS: readonly PublishedWait[] = [
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

/** By model, in EUR cents: 0.07 and 0.035 EUR a minute, without tax (`facts 1.9`, page read 2026-10-07). */
const CENTS_PER_MINUTE: Readonly<Record<string, number>> = { 'kugel-3': 7, 'kugel-2-turbo': 3.5 };

/** The price list's entry for the model of these settings; null for an unlisted model. */
export function publishedPrice({ model_id: model }: Settings): PublishedPrice | null {
  const cents = CENTS_PER_MINUTE[typeof model === 'string' ? model : DEFAULT_MODEL];
  return cents === undefined ? null : { centsPerSecond: cents / 60, currency: 'eur' };
}

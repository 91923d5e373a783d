import type { PricePlan, PublishedWait } from '../../core/endpoint.ts';

/** Characters a month, as third parties read them in September 2026; a credit is about a character (`facts-cartesia`, P1, P2). */
const plan = (id: string, title: string, charactersPerMonth: number): PricePlan => ({
  id,
  title,
  charactersPerMonth,
  // None is published.
  overageCentsPerMillion: null,
  currency: 'usd',
  source: 'notes of others, September 2026; a credit is about a character',
});

export const PLANS = [
  plan('free', 'Free', 20_000),
  plan('pro', 'Pro', 100_000),
  plan('startup', 'Startup', 1_250_000),
];

/** `facts-cartesia`, P3. */
export const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'Sonic 3 end to end',
    from: 'firstText',
    leastMs: 190,
    mostMs: 190,
    includes: 'the server and the network, with an open connection',
    source: 'docs.cartesia.ai, TTS models',
  },
  {
    title: 'model of Sonic 3',
    from: 'serverStarted',
    leastMs: 90,
    mostMs: 90,
    includes: 'the model alone',
    source: 'docs.cartesia.ai, TTS models',
  },
];

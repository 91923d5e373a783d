import type { PricePlan, PublishedWait } from '../../core/endpoint.ts';

const payAsYouGo = (
  id: string,
  title: string,
  overageCentsPerMillion: number,
  source: string,
): PricePlan => ({
  id,
  title: `${title}, pay as you go`,
  charactersPerMonth: 0,
  overageCentsPerMillion,
  currency: 'usd',
  source,
});

/** `facts-deepgram 7.2`. */
const COPIES = 'copies of deepgram.com/pricing by others, May 2026';
export const AURA_PLANS = [
  payAsYouGo('aura-2', 'Aura-2', 3000, COPIES),
  payAsYouGo('aura-1', 'Aura-1', 1500, COPIES),
];
export const FLUX_PLANS = [payAsYouGo('flux', 'Flux', 4500, 'one note of a user, 2026')];

/** `facts-deepgram 7.4`. Those of Flux are only quoted by others. */
export const AURA_WAITS: readonly PublishedWait[] = [
  {
    title: 'first byte of Aura-2',
    from: 'firstText',
    leastMs: 90,
    mostMs: 200,
    includes: 'the server; 90 ms in steady use, and less than 200 ms',
    source: 'deepgram.com/learn, real-time low-latency voice AI at scale',
  },
];

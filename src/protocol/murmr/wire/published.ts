import type { PricePlan, PublishedWait } from '../../core/endpoint.ts';

const PRICES = 'github.com/murmr-tts/docs, rate-limits.md, March 2026; a voice description is free';

/** The plans with WebSocket (`facts 7`). A voice description costs nothing. */
export const PLANS: readonly PricePlan[] = [
  {
    id: 'realtime',
    title: 'Realtime',
    charactersPerMonth: 3_000_000,
    overageCentsPerMillion: 1200,
    currency: 'usd',
    source: PRICES,
  },
  {
    id: 'scale',
    title: 'Scale',
    charactersPerMonth: 10_000_000,
    overageCentsPerMillion: 1000,
    currency: 'usd',
    source: PRICES,
  },
];

/** `facts 6.5`. The vendor's pages disagree on the time of the server alone. */
export const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'seen by a client',
    from: 'firstText',
    leastMs: 600,
    mostMs: 700,
    includes: 'the server and the round trip over the network',
    source: 'github.com/murmr-tts/docs, voice-agents.md',
  },
  {
    title: 'server alone',
    from: 'firstText',
    leastMs: 460,
    mostMs: 550,
    includes: 'the server alone, from text received to the first audio generated',
    source: 'github.com/murmr-tts/docs, realtime.md and voice-agents.md',
  },
];

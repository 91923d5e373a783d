import type { PricePlan, ProtocolsOf, PublishedWait } from '../core/endpoint.ts';
import { murmrCatalogue } from './wire/catalogue.ts';
import { clientFrameIssues } from './wire/client-frames.ts';
import { murmrErrors } from './wire/errors.ts';
import { RealtimeDialect, readRealtimeIntents } from './wire/realtime-dialect.ts';
import { realtimeExample } from './wire/server-frames.ts';
import { realtimeTemplates } from './wire/templates.ts';

const PRICES = 'github.com/murmr-tts/docs, rate-limits.md, March 2026; a voice description is free';

/** The plans with WebSocket (murmr-bill-2). A voice description costs nothing. */
const PLANS: readonly PricePlan[] = [
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

/** First audio (murmr-limit-3). The vendor's pages disagree on the time of the server alone. */
const PUBLISHED_WAITS: readonly PublishedWait[] = [
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

export const protocols: ProtocolsOf<'murmr'> = {
  murmr: {
    exampleTurn: realtimeExample,
    open: ({ key }) => new RealtimeDialect(key),
    readIntents: readRealtimeIntents,
    templates: realtimeTemplates,
    checkFrame: clientFrameIssues,
    ...murmrErrors,
    catalogue: murmrCatalogue,
    plans: PLANS,
    publishedWaits: PUBLISHED_WAITS,
    publishedPrice: () => null,
  },
};

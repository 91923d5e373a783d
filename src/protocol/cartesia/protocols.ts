import type { PricePlan, ProtocolsOf, PublishedWait } from '../core/endpoint.ts';
import { cartesiaCatalogue } from './wire/catalogue.ts';
import { frameIssues } from './wire/client-frames.ts';
import { CartesiaDialect, readCartesiaIntents } from './wire/dialect.ts';
import { cartesiaErrors } from './wire/errors.ts';
import { cartesiaExample } from './wire/server-frames.ts';
import { audioFormatOf } from './wire/settings.ts';
import { cartesiaTemplates } from './wire/templates.ts';

/** Characters a month, as third parties read them in September 2026; a credit is about a character (cartesia-bill-2). */
const plan = (id: string, title: string, charactersPerMonth: number): PricePlan => ({
  id,
  title,
  charactersPerMonth,
  // None is published.
  overageCentsPerMillion: null,
  currency: 'usd',
  source: 'notes of others, September 2026; a credit is about a character',
});

const PLANS = [
  plan('free', 'Free', 20_000),
  plan('pro', 'Pro', 100_000),
  plan('startup', 'Startup', 1_250_000),
];

/** Claims of the vendor (cartesia-bill-3). */
const PUBLISHED_WAITS: readonly PublishedWait[] = [
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

export const protocols: ProtocolsOf<'cartesia'> = {
  cartesia: {
    exampleTurn: cartesiaExample,
    open: ({ settings, format }) => new CartesiaDialect(settings, format ?? audioFormatOf(settings)),
    readIntents: readCartesiaIntents,
    templates: cartesiaTemplates,
    checkFrame: frameIssues,
    ...cartesiaErrors,
    catalogue: cartesiaCatalogue,
    plans: PLANS,
    publishedWaits: PUBLISHED_WAITS,
    // The price of a credit depends on the plan.
    publishedPrice: () => null,
  },
};

import type { DialectOptions, PricePlan, ProtocolsOf, PublishedWait } from '../core/endpoint.ts';
import { catalogueOf } from './wire/catalogue.ts';
import { fluxFrameIssues, speakFrameIssues } from './wire/client-frames.ts';
import { readFluxIntents, readSpeakIntents } from './wire/dialect.ts';
import { deepgramErrors, fluxFailures, speakFailures } from './wire/errors.ts';
import { FluxDialect } from './wire/flux-dialect.ts';
import { fluxExample, speakExample } from './wire/server-frames.ts';
import { audioFormatOf, type Family } from './wire/settings.ts';
import { SpeakDialect } from './wire/speak-dialect.ts';
import { fluxTemplates, speakTemplates } from './wire/templates.ts';

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

/** The vendor's own price page was not read (deepgram-bill-2). */
const COPIES = 'copies of deepgram.com/pricing by others, May 2026';
const AURA_PLANS = [
  payAsYouGo('aura-2', 'Aura-2', 3000, COPIES),
  payAsYouGo('aura-1', 'Aura-1', 1500, COPIES),
];
const FLUX_PLANS = [payAsYouGo('flux', 'Flux', 4500, 'one note of a user, 2026')];

/** Those of Flux are only quoted by others. */
const AURA_WAITS: readonly PublishedWait[] = [
  {
    title: 'first byte of Aura-2',
    from: 'firstText',
    leastMs: 90,
    mostMs: 200,
    includes: 'the server; 90 ms in steady use, and less than 200 ms',
    source: 'deepgram.com/learn, real-time low-latency voice AI at scale',
  },
];

const formatOf = (family: Family, { settings, format }: DialectOptions) =>
  format ?? audioFormatOf(family)(settings);

const common = { ...deepgramErrors, publishedPrice: () => null };

export const protocols: ProtocolsOf<'deepgram'> = {
  deepgram: {
    exampleTurn: speakExample,
    open: (options) => new SpeakDialect(formatOf('aura', options)),
    readIntents: readSpeakIntents,
    templates: speakTemplates,
    checkFrame: speakFrameIssues,
    failures: speakFailures,
    catalogue: catalogueOf('aura'),
    plans: AURA_PLANS,
    publishedWaits: AURA_WAITS,
    ...common,
  },
  'deepgram-flux': {
    exampleTurn: fluxExample,
    open: (options) => new FluxDialect(formatOf('flux', options)),
    readIntents: readFluxIntents,
    templates: fluxTemplates,
    checkFrame: fluxFrameIssues,
    failures: fluxFailures,
    catalogue: catalogueOf('flux'),
    plans: FLUX_PLANS,
    publishedWaits: [],
    ...common,
  },
};

import type { Protocol, ProtocolsOf, PublishedPrice, PublishedWait, Settings } from '../core/endpoint.ts';
import { kugelCatalogue } from './wire/catalogue.ts';
import { kugelErrors } from './wire/errors.ts';
import { readMultiIntents, readStreamIntents, readTtsIntents } from './wire/intents.ts';
import { multiFrameIssues } from './wire/multi-client.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { multiExample, streamExample, ttsExample } from './wire/server-frames.ts';
import { DEFAULT_MODEL } from './wire/settings.ts';
import { streamFrameIssues, ttsFrameIssues } from './wire/stream-client.ts';
import { streamDialect, TtsDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates, ttsTemplates } from './wire/templates.ts';

const LATENCY_PAGE = 'docs.kugelaudio.com/latency';

/** First audio (kugel-limit-3). */
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

/** By model, in EUR cents: 0.07 and 0.035 EUR a minute, without tax (kugel-bill-6). */
const CENTS_PER_MINUTE: Readonly<Record<string, number>> = { 'kugel-3': 7, 'kugel-2-turbo': 3.5 };

/** The price list's entry for the model of these settings; null for an unlisted model. */
function publishedPrice({ model_id: model }: Settings): PublishedPrice | null {
  const cents = CENTS_PER_MINUTE[typeof model === 'string' ? model : DEFAULT_MODEL];
  return cents === undefined ? null : { centsPerSecond: cents / 60, currency: 'eur' };
}

/** The common part of the KugelAudio endpoints. */
const kugelCommon = {
  ...kugelErrors,
  catalogue: kugelCatalogue,
  plans: [],
  publishedWaits: PUBLISHED_WAITS,
  publishedPrice,
} satisfies Partial<Protocol>;

export const protocols: ProtocolsOf<'kugel'> = {
  'kugel-stream': {
    exampleTurn: streamExample,
    open: () => streamDialect,
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    ...kugelCommon,
  },
  'kugel-multi': {
    exampleTurn: multiExample,
    open: () => new MultiDialect(),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    ...kugelCommon,
  },
  'kugel-tts': {
    exampleTurn: ttsExample,
    open: () => new TtsDialect(),
    readIntents: readTtsIntents,
    templates: ttsTemplates,
    checkFrame: ttsFrameIssues,
    ...kugelCommon,
  },
};

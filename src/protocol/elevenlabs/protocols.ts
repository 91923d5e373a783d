import type { DialectOptions, Protocol, ProtocolsOf, PublishedWait } from '../core/endpoint.ts';
import { elevenLabsCatalogue } from './wire/catalogue.ts';
import { multiFrameIssues, streamFrameIssues } from './wire/client-frames.ts';
import { elevenLabsErrors } from './wire/errors.ts';
import { MultiDialect, readMultiIntents } from './wire/multi-dialect.ts';
import { elevenLabsExample } from './wire/server-frames.ts';
import { accountKey, audioFormatOf } from './wire/settings.ts';
import { readStreamIntents, StreamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates } from './wire/templates.ts';

const LATENCY_PAGE = 'elevenlabs.io/docs, models and latency optimization';

const overSocket = (region: string, leastMs: number, mostMs: number): PublishedWait => ({
  title: `over WebSocket in ${region}`,
  from: 'firstText',
  leastMs,
  mostMs,
  includes: `the server and the network, for a client in ${region} with the Flash model`,
  source: LATENCY_PAGE,
});

/** Waits that the vendor publishes (elevenlabs-turn-4). */
const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'inference of Flash',
    from: 'serverStarted',
    leastMs: 75,
    mostMs: 75,
    includes: 'the model alone',
    source: LATENCY_PAGE,
  },
  overSocket('the US', 150, 200),
  overSocket('Europe', 230, 230),
];

/** Of one connection: its settings, its key for messages, and the format of its audio. */
const partsOf = ({ settings, key, format }: DialectOptions) =>
  [settings, accountKey(key), format ?? audioFormatOf(settings)] as const;

/** The common part of both sockets. */
const elevenLabsCommon = {
  ...elevenLabsErrors,
  catalogue: elevenLabsCatalogue,
  plans: [],
  publishedWaits: PUBLISHED_WAITS,
  publishedPrice: () => null,
} satisfies Partial<Protocol>;

export const protocols: ProtocolsOf<'elevenlabs'> = {
  'elevenlabs-stream': {
    exampleTurn: (text) => elevenLabsExample(text, null),
    open: (options) => new StreamDialect(...partsOf(options)),
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    ...elevenLabsCommon,
  },
  'elevenlabs-multi': {
    exampleTurn: elevenLabsExample,
    open: (options) => new MultiDialect(...partsOf(options)),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    ...elevenLabsCommon,
  },
};

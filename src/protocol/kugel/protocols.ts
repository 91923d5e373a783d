import type { Protocol, PublishedPrice, PublishedWait, Settings } from '../core/endpoint.ts';
import { type DescribedMessages, type Exchange, withAnchors } from '../core/json-frame.ts';
import { openMultiLinter } from './lint/multi.ts';
import { openStreamLinter, openTtsLinter } from './lint/stream.ts';
import { kugelCatalogue } from './wire/catalogue.ts';
import { kugelErrors } from './wire/errors.ts';
import { readMultiIntents, readStreamIntents, readTtsIntents } from './wire/intents.ts';
import { multiClientFrame, multiFrameIssues } from './wire/multi-client.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import {
  KUGEL_FRAMES,
  type Marker,
  MULTI_MARKERS,
  multiExample,
  STREAM_MARKERS,
  streamExample,
  TTS_MARKERS,
  ttsExample,
} from './wire/server-frames.ts';
import { DEFAULT_MODEL } from './wire/settings.ts';
import {
  streamClientFrame,
  streamFrameIssues,
  ttsClientFrame,
  ttsFrameIssues,
} from './wire/stream-client.ts';
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

export const kugelProtocols = {
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
} satisfies Record<string, Protocol>;

export const kugelLinters = {
  'kugel-stream': openStreamLinter,
  'kugel-multi': openMultiLinter,
  'kugel-tts': openTtsLinter,
};

function framesOf(markers: ReadonlySet<Marker>): DescribedMessages {
  const frames = withAnchors(KUGEL_FRAMES, {
    error: 'kugel-message-71',
    audio: 'kugel-message-63',
    word_timestamps: 'kugel-message-64',
    generation_started: 'kugel-message-62',
    chunk_complete: 'kugel-message-65',
    interrupted: 'kugel-message-68',
    settings_updated: 'kugel-message-70',
    context_created: 'kugel-message-72',
    context_closed: 'kugel-message-73',
    context_timeout: 'kugel-message-76',
    session_closed: 'kugel-message-67',
    final: 'kugel-message-66',
    warning: 'kugel-message-69',
  });
  return Object.fromEntries([...markers].map((marker) => [marker, frames[marker]]));
}

export const kugelMessages = () =>
  ({
    'kugel-stream': {
      client: { message: { schema: streamClientFrame, anchor: 'kugel-message-4' } },
      server: framesOf(STREAM_MARKERS),
    },
    'kugel-multi': {
      client: { message: { schema: multiClientFrame, anchor: 'kugel-message-4' } },
      server: framesOf(MULTI_MARKERS),
    },
    'kugel-tts': {
      client: { message: { schema: ttsClientFrame, anchor: 'kugel-message-52' } },
      server: framesOf(TTS_MARKERS),
    },
  }) satisfies Record<string, Exchange>;

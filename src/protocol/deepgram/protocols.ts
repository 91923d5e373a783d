import type { DialectOptions, PricePlan, Protocol, PublishedWait } from '../core/endpoint.ts';
import { type Exchange, withAnchors } from '../core/json-frame.ts';
import { openDeepgramFluxLinter } from './lint/flux.ts';
import { openDeepgramLinter } from './lint/speak.ts';
import { catalogueOf } from './wire/catalogue.ts';
import { FLUX_MESSAGES, fluxFrameIssues, SPEAK_MESSAGES, speakFrameIssues } from './wire/client-frames.ts';
import { readFluxIntents, readSpeakIntents } from './wire/dialect.ts';
import { deepgramErrors, fluxFailures, speakFailures } from './wire/errors.ts';
import { FluxDialect } from './wire/flux-dialect.ts';
import { FLUX_FRAMES, fluxExample, SPEAK_FRAMES, speakExample } from './wire/server-frames.ts';
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

export const deepgramProtocols = {
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
} satisfies Record<string, Protocol>;

export const deepgramLinters = { deepgram: openDeepgramLinter, 'deepgram-flux': openDeepgramFluxLinter };

export const deepgramMessages = () =>
  ({
    deepgram: {
      client: withAnchors(SPEAK_MESSAGES, {
        Speak: 'deepgram-message-1',
        Flush: 'deepgram-message-2',
        Clear: 'deepgram-message-3',
        Close: 'deepgram-message-4',
      }),
      server: {
        ...withAnchors(SPEAK_FRAMES, {
          Metadata: 'deepgram-message-17',
          Flushed: 'deepgram-message-19',
          Cleared: 'deepgram-message-20',
          Warning: 'deepgram-message-21',
          Error: 'deepgram-message-22',
          error: 'deepgram-message-22',
        }),
        audio: { schema: null, anchor: 'deepgram-message-18' },
      },
    },
    'deepgram-flux': {
      client: withAnchors(FLUX_MESSAGES, {
        Speak: 'deepgram-message-9',
        Flush: 'deepgram-message-10',
        Interrupt: 'deepgram-message-11',
        Configure: 'deepgram-message-12',
        Close: 'deepgram-message-13',
      }),
      server: {
        ...withAnchors(FLUX_FRAMES, {
          Connected: 'deepgram-message-28',
          SpeechStarted: 'deepgram-message-29',
          Flushed: 'deepgram-message-31',
          SpeechMetadata: 'deepgram-message-32',
          SpeechInterrupted: 'deepgram-message-33',
          ConfigureSuccess: 'deepgram-message-34',
          ConfigureFailure: 'deepgram-message-35',
          SessionMetadata: 'deepgram-message-36',
          Warning: 'deepgram-message-37',
          Error: 'deepgram-message-38',
        }),
        audio: { schema: null, anchor: 'deepgram-message-30' },
      },
    },
  }) satisfies Record<string, Exchange>;

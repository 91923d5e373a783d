import type { DialectOptions, Protocol } from '../core/endpoint.ts';
import { audioFormatOf } from './wire/audio-format.ts';
import { catalogueOf } from './wire/catalogue.ts';
import { fluxFrameIssues, speakFrameIssues } from './wire/client-frames.ts';
import { explainClose, explainError } from './wire/errors.ts';
import { fluxFailures, speakFailures } from './wire/failures.ts';
import { FluxDialect } from './wire/flux-dialect.ts';
import { readFluxIntents, readSpeakIntents } from './wire/intents.ts';
import type { Family } from './wire/models.ts';
import { AURA_PLANS, AURA_WAITS, FLUX_PLANS } from './wire/published.ts';
import { SpeakDialect } from './wire/speak-dialect.ts';
import { fluxTemplates, speakTemplates } from './wire/templates.ts';

const formatOf = (family: Family, { settings, format }: DialectOptions) =>
  format ?? audioFormatOf(family)(settings);

const common = { explainClose, explainError, publishedPrice: () => null };

export const deepgramProtocols = {
  deepgram: {
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

import type { DialectOptions, Protocol } from '../core/endpoint.ts';
import { audioFormatOf } from './wire/audio-format.ts';
import { fluxFrameIssues, speakFrameIssues } from './wire/client-frames.ts';
import { fluxFailures, speakFailures } from './wire/failures.ts';
import { FluxDialect } from './wire/flux-dialect.ts';
import { readFluxIntents, readSpeakIntents } from './wire/intents.ts';
import type { Family } from './wire/models.ts';
import { SpeakDialect } from './wire/speak-dialect.ts';
import { fluxTemplates, speakTemplates } from './wire/templates.ts';

const formatOf = (family: Family, { settings, format }: DialectOptions) =>
  format ?? audioFormatOf(family)(settings);

export const deepgramProtocols = {
  deepgram: {
    open: (options) => new SpeakDialect(formatOf('aura', options)),
    readIntents: readSpeakIntents,
    templates: speakTemplates,
    checkFrame: speakFrameIssues,
    failures: speakFailures,
  },
  'deepgram-flux': {
    open: (options) => new FluxDialect(formatOf('flux', options)),
    readIntents: readFluxIntents,
    templates: fluxTemplates,
    checkFrame: fluxFrameIssues,
    failures: fluxFailures,
  },
} satisfies Record<string, Protocol>;

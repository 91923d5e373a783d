import type { Protocol } from '../core/endpoint.ts';
import { kugelCatalogue } from './wire/catalogue.ts';
import { explainKugelClose, explainKugelError } from './wire/errors.ts';
import { kugelFailures } from './wire/failures.ts';
import { readMultiIntents, readStreamIntents, readTtsIntents } from './wire/intents.ts';
import { multiFrameIssues } from './wire/multi-client.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { PUBLISHED_WAITS, publishedPrice } from './wire/published.ts';
import { streamFrameIssues } from './wire/stream-client.ts';
import { streamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates, ttsTemplates } from './wire/templates.ts';
import { ttsFrameIssues } from './wire/tts-client.ts';
import { TtsDialect } from './wire/tts-dialect.ts';

/** The common part of the KugelAudio endpoints. */
const kugelCommon = {
  failures: kugelFailures,
  explainClose: explainKugelClose,
  explainError: explainKugelError,
  catalogue: kugelCatalogue,
  plans: [],
  publishedWaits: PUBLISHED_WAITS,
  publishedPrice,
} satisfies Partial<Protocol>;

export const kugelProtocols = {
  'kugel-stream': {
    open: () => streamDialect,
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    ...kugelCommon,
  },
  'kugel-multi': {
    open: () => new MultiDialect(),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    ...kugelCommon,
  },
  'kugel-tts': {
    open: () => new TtsDialect(),
    readIntents: readTtsIntents,
    templates: ttsTemplates,
    checkFrame: ttsFrameIssues,
    ...kugelCommon,
  },
} satisfies Record<string, Protocol>;

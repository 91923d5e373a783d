import type { DialectOptions, Protocol } from '../core/endpoint.ts';
import { elevenLabsCatalogue } from './wire/catalogue.ts';
import { multiFrameIssues, streamFrameIssues } from './wire/client-frames.ts';
import { explainClose, explainError } from './wire/errors.ts';
import { elevenLabsFailures } from './wire/failures.ts';
import { readMultiIntents, readStreamIntents } from './wire/intents.ts';
import { accountKey } from './wire/keys.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { PUBLISHED_WAITS } from './wire/published.ts';
import { StreamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates } from './wire/templates.ts';

/** Of one connection: its settings, its key for messages, and the format of its audio. */
const partsOf = ({ settings, key, format }: DialectOptions) =>
  [settings, accountKey(key), format ?? audioFormatOf(settings)] as const;

/** The common part of both sockets. */
const elevenLabsCommon = {
  failures: elevenLabsFailures,
  explainClose,
  explainError,
  catalogue: elevenLabsCatalogue,
  plans: [],
  publishedWaits: PUBLISHED_WAITS,
  publishedPrice: () => null,
} satisfies Partial<Protocol>;

export const elevenLabsProtocols = {
  'elevenlabs-stream': {
    open: (options) => new StreamDialect(...partsOf(options)),
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    ...elevenLabsCommon,
  },
  'elevenlabs-multi': {
    open: (options) => new MultiDialect(...partsOf(options)),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    ...elevenLabsCommon,
  },
} satisfies Record<string, Protocol>;

import type { DialectOptions, Protocol } from '../core/endpoint.ts';
import { multiFrameIssues, streamFrameIssues } from './wire/client-frames.ts';
import { elevenLabsFailures } from './wire/failures.ts';
import { readMultiIntents, readStreamIntents } from './wire/intents.ts';
import { accountKey } from './wire/keys.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { StreamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates } from './wire/templates.ts';

/** Of one connection: its settings, its key for messages, and the format of its audio. */
const partsOf = ({ settings, key, format }: DialectOptions) =>
  [settings, accountKey(key), format ?? audioFormatOf(settings)] as const;

export const elevenLabsProtocols = {
  'elevenlabs-stream': {
    open: (options) => new StreamDialect(...partsOf(options)),
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    failures: elevenLabsFailures,
  },
  'elevenlabs-multi': {
    open: (options) => new MultiDialect(...partsOf(options)),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    failures: elevenLabsFailures,
  },
} satisfies Record<string, Protocol>;

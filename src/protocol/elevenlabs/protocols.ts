import type { DialectOptions, Protocol } from '../core/endpoint.ts';
import { multiFrameIssues, streamFrameIssues } from './wire/client-frames.ts';
import { elevenLabsFailures } from './wire/failures.ts';
import { readMultiIntents, readStreamIntents } from './wire/intents.ts';
import { accountKey } from './wire/keys.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { StreamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates } from './wire/templates.ts';

const opened =
  <D>(
    Kind: new (
      settings: DialectOptions['settings'],
      key: string,
      format: ReturnType<typeof audioFormatOf>,
    ) => D,
  ) =>
  ({ settings, key, format }: DialectOptions): D =>
    new Kind(settings, accountKey(key), format ?? audioFormatOf(settings));

export const elevenLabsProtocols = {
  'elevenlabs-stream': {
    open: opened(StreamDialect),
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    failures: elevenLabsFailures,
  },
  'elevenlabs-multi': {
    open: opened(MultiDialect),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    failures: elevenLabsFailures,
  },
} satisfies Record<string, Protocol>;

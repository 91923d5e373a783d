import type { Protocol } from '../core/endpoint.ts';
import { kugelFailures } from './wire/failures.ts';
import { readMultiIntents, readStreamIntents, readTtsIntents } from './wire/intents.ts';
import { multiFrameIssues } from './wire/multi-client.ts';
import { MultiDialect } from './wire/multi-dialect.ts';
import { streamFrameIssues } from './wire/stream-client.ts';
import { streamDialect } from './wire/stream-dialect.ts';
import { multiTemplates, streamTemplates, ttsTemplates } from './wire/templates.ts';
import { ttsFrameIssues } from './wire/tts-client.ts';
import { TtsDialect } from './wire/tts-dialect.ts';

export const kugelProtocols = {
  'kugel-stream': {
    open: () => streamDialect,
    readIntents: readStreamIntents,
    templates: streamTemplates,
    checkFrame: streamFrameIssues,
    failures: kugelFailures,
  },
  'kugel-multi': {
    open: () => new MultiDialect(),
    readIntents: readMultiIntents,
    templates: multiTemplates,
    checkFrame: multiFrameIssues,
    failures: kugelFailures,
  },
  'kugel-tts': {
    open: () => new TtsDialect(),
    readIntents: readTtsIntents,
    templates: ttsTemplates,
    checkFrame: ttsFrameIssues,
    failures: kugelFailures,
  },
} satisfies Record<string, Protocol>;

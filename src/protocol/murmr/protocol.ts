import type { Protocol } from '../core/endpoint.ts';
import { clientFrameIssues } from './wire/client-frames.ts';
import { murmrFailures } from './wire/failures.ts';
import { readRealtimeIntents } from './wire/intents.ts';
import { RealtimeDialect } from './wire/realtime-dialect.ts';
import { realtimeTemplates } from './wire/templates.ts';

export const murmrProtocol: Protocol = {
  open: ({ key }) => new RealtimeDialect(key),
  readIntents: readRealtimeIntents,
  templates: realtimeTemplates,
  checkFrame: clientFrameIssues,
  failures: murmrFailures,
};

import type { Protocol } from '../core/endpoint.ts';
import { murmrCatalogue } from './wire/catalogue.ts';
import { clientFrameIssues } from './wire/client-frames.ts';
import { explainMurmrClose, explainMurmrError } from './wire/errors.ts';
import { murmrFailures } from './wire/failures.ts';
import { readRealtimeIntents } from './wire/intents.ts';
import { PLANS, PUBLISHED_WAITS } from './wire/published.ts';
import { RealtimeDialect } from './wire/realtime-dialect.ts';
import { realtimeTemplates } from './wire/templates.ts';

export const murmrProtocol: Protocol = {
  open: ({ key }) => new RealtimeDialect(key),
  readIntents: readRealtimeIntents,
  templates: realtimeTemplates,
  checkFrame: clientFrameIssues,
  failures: murmrFailures,
  explainClose: explainMurmrClose,
  explainError: explainMurmrError,
  catalogue: murmrCatalogue,
  plans: PLANS,
  publishedWaits: PUBLISHED_WAITS,
  publishedPrice: () => null,
};

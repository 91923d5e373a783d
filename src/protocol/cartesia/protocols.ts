import type { Protocol } from '../core/endpoint.ts';
import { cartesiaCatalogue } from './wire/catalogue.ts';
import { frameIssues } from './wire/client-frames.ts';
import { CartesiaDialect } from './wire/dialect.ts';
import { explainClose, explainError } from './wire/errors.ts';
import { cartesiaFailures } from './wire/failures.ts';
import { readCartesiaIntents } from './wire/intents.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { PLANS, PUBLISHED_WAITS } from './wire/published.ts';
import { cartesiaTemplates } from './wire/templates.ts';

export const cartesiaProtocol: Protocol = {
  open: ({ settings, format }) => new CartesiaDialect(settings, format ?? audioFormatOf(settings)),
  readIntents: readCartesiaIntents,
  templates: cartesiaTemplates,
  checkFrame: frameIssues,
  failures: cartesiaFailures,
  explainClose,
  explainError,
  catalogue: cartesiaCatalogue,
  plans: PLANS,
  publishedWaits: PUBLISHED_WAITS,
  // Credits have a price by the plan (P1, P2).
  publishedPrice: () => null,
};

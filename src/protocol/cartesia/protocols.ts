import type { Protocol } from '../core/endpoint.ts';
import { frameIssues } from './wire/client-frames.ts';
import { CartesiaDialect } from './wire/dialect.ts';
import { cartesiaFailures } from './wire/failures.ts';
import { readCartesiaIntents } from './wire/intents.ts';
import { audioFormatOf } from './wire/output-format.ts';
import { cartesiaTemplates } from './wire/templates.ts';

export const cartesiaProtocol: Protocol = {
  open: ({ settings, format }) => new CartesiaDialect(settings, format ?? audioFormatOf(settings)),
  readIntents: readCartesiaIntents,
  templates: cartesiaTemplates,
  checkFrame: frameIssues,
  failures: cartesiaFailures,
};
